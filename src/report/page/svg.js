// SVG as text: elements, and lines with gaps where a value is missing.
const Svg = (() => {
  "use strict";
  const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  const escaped = (text) => String(text).replace(/[&<>"']/g, (letter) => ENTITIES[letter]);
  const round = (value) => Math.round(value * 10) / 10;

  const element = (name, attributes, content = "") => {
    const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
    return `<${name}${written.join("")}>${content}</${name}>`;
  };
  const text = (x, y, words, attributes = {}) => element("text", { x: round(x), y: round(y), ...attributes }, escaped(words));

  /** The d of a path through (toX(x_i), toY(y_i)); a number that is not finite makes a gap. */
  const path = (xs, ys, toX, toY) => {
    let d = "";
    let pen = "M";
    for (let i = 0; i < ys.length; ++i) {
      if (!Number.isFinite(ys[i])) {
        pen = "M";
        continue;
      }
      d += pen + round(toX(xs[i])) + " " + round(toY(ys[i]));
      // A value without neighbors is a dot: a line of no length with round ends.
      if (pen === "M" && !(i + 1 < ys.length && Number.isFinite(ys[i + 1]))) d += "h0";
      pen = "L";
    }
    return d;
  };

  /** The d of the area between two lines, one part for every run of numbers. */
  const area = (xs, lows, highs, toX, toY) => {
    let d = "";
    let start = 0;
    const close = (end) => {
      if (end - start < 2) return;
      const places = Array.from({ length: end - start }, (_, i) => start + i);
      const there = places.map((i) => round(toX(xs[i])) + " " + round(toY(highs[i])));
      const back = places.reverse().map((i) => round(toX(xs[i])) + " " + round(toY(lows[i])));
      d += "M" + there.join("L") + "L" + back.join("L") + "Z";
    };
    for (let i = 0; i <= lows.length; ++i) {
      if (i < lows.length && Number.isFinite(lows[i]) && Number.isFinite(highs[i])) continue;
      close(i);
      start = i + 1;
    }
    return d;
  };

  return Object.freeze({ escaped, element, text, path, area, round });
})();
