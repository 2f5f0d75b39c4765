// Arrays of numbers that travel as base64, the least significant byte first (src/report/packed_numbers.hpp).
const Packed = (() => {
  "use strict";
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  const unpack = (text, size, read) => {
    const view = new DataView(bytes(text).buffer);
    return Array.from({ length: view.byteLength / size }, (_, i) => read(view, i * size));
  };
  const floats = (text) => Float32Array.from(unpack(text, 4, (view, at) => view.getFloat32(at, true)));
  const doubles = (text) => Float64Array.from(unpack(text, 8, (view, at) => view.getFloat64(at, true)));

  return Object.freeze({ floats, doubles });
})();
