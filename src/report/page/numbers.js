// Numbers for people: short text, and round ticks for axes.
const Numbers = (() => {
  "use strict";
  const text = (value, digits = 4) => {
    if (Number.isNaN(value)) return "missing";
    if (value === 0) return "0";
    const size = Math.abs(value);
    const plain = size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(digits))) : value.toExponential(digits - 2);
    return plain.replaceAll("-", "−").replace("e+", "e");
  };

  /** Round numbers within [low, high], about `count` of them. */
  const ticks = (low, high, count) => {
    const span = high - low;
    if (!(span > 0)) return [low];
    const rough = span / Math.max(count, 1);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough * 0.999);
    const first = Math.ceil(low / step - 1e-9);
    const last = Math.floor(high / step + 1e-9);
    return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  };

  /** Powers of ten within [low, high], both positive; round numbers where there are not two of them. */
  const logTicks = (low, high, count) => {
    const first = Math.ceil(Math.log10(low) - 1e-9);
    const last = Math.floor(Math.log10(high) + 1e-9);
    if (last - first < 1) return ticks(low, high, count);
    const stride = Math.ceil((last - first + 1) / Math.max(count, 1));
    return Array.from({ length: Math.floor((last - first) / stride) + 1 }, (_, i) => 10 ** (first + i * stride));
  };

  /** Least and greatest of the finite numbers in some arrays; [0, 1] where there are none. */
  const range = (arrays) => {
    let low = Infinity;
    let high = -Infinity;
    for (const array of arrays) {
      for (const value of array) {
        if (!Number.isFinite(value)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    return low <= high ? [low, high] : [0, 1];
  };

  /** A range with some air, and never empty. */
  const padded = ([low, high], part = 0.05) => {
    const air = high > low ? (high - low) * part : Math.abs(low) * 0.1 || 1;
    return [low - air, high + air];
  };

  return Object.freeze({ text, ticks, logTicks, range, padded });
})();
