// A series read between its samples, as the core's sampler does it: linear, clamped at the ends, 0 the first sample and
// 1 the last; a missing neighbor gives NaN unless its weight is zero.
const Sampling = (() => {
  "use strict";
  const NODE = 1e-9; // nearer to a node, in samples, is the node itself

  const read = (values, position) => {
    const last = values.length - 1;
    const at = Math.min(Math.max(position, 0), 1) * last;
    const index = Math.min(Math.floor(at), last);
    const part = at - index;
    if (part < NODE) return values[index];
    if (part > 1 - NODE) return values[index + 1];
    return values[index] + (values[index + 1] - values[index]) * part;
  };

  const readAll = (values, positions) => Float64Array.from(positions, (position) => read(values, position));

  /** `count` equally spaced numbers from 0 to 1. */
  const grid = (count) => Float64Array.from({ length: count }, (_, i) => (count > 1 ? i / (count - 1) : 0));

  /** Mean and standard deviation (divided by the number) at every place of equally long lines, of what is present. */
  const summary = (lines) => {
    const length = lines.length ? lines[0].length : 0;
    const mean = new Float64Array(length);
    const deviation = new Float64Array(length);
    for (let i = 0; i < length; ++i) {
      const present = lines.map((line) => line[i]).filter((value) => !Number.isNaN(value));
      mean[i] = present.reduce((sum, value) => sum + value, 0) / present.length;
      deviation[i] = Math.sqrt(present.reduce((sum, value) => sum + (value - mean[i]) ** 2, 0) / present.length);
    }
    return { mean, deviation };
  };

  return Object.freeze({ read, readAll, grid, summary });
})();
