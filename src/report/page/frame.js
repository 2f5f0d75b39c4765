// The rectangle of a chart: scales, ticks, grid lines and the names of its axes.
//
//   axis = { domain: [low, high], label: "value (as in the file)", log: false, ticks: [..] (optional) }
const Frame = (() => {
  "use strict";
  const MARGIN = { left: 46, right: 12, top: 26, bottom: 40 };
  const PIXELS_PER_TICK = { x: 80, y: 34 };

  const scale = (axis, from, to) => {
    const map = axis.log ? Math.log10 : (value) => value;
    const [low, high] = axis.domain.map(map);
    const factor = (to - from) / (high - low || 1);
    return {
      pixel: (value) => from + (map(value) - low) * factor,
      value: (pixel) => {
        const mapped = low + (pixel - from) / factor;
        return axis.log ? 10 ** mapped : mapped;
      },
    };
  };

  const make = (width, height, x, y) => {
    const box = {
      left: MARGIN.left,
      right: Math.max(width - MARGIN.right, MARGIN.left + 10),
      top: MARGIN.top,
      bottom: height - MARGIN.bottom,
    };
    return { width, height, box, x, y, xScale: scale(x, box.left, box.right), yScale: scale(y, box.bottom, box.top) };
  };

  const ticksOf = (axis, pixels, pixelsPerTick) => {
    if (axis.ticks) return axis.ticks;
    const count = Math.max(2, Math.floor(pixels / pixelsPerTick));
    return (axis.log ? Numbers.logTicks : Numbers.ticks)(...axis.domain, count);
  };

  /** Grid lines, ticks and labels as SVG text. */
  const axes = ({ width, height, box, x, y, xScale, yScale }) => {
    const parts = [];
    for (const value of ticksOf(y, box.bottom - box.top, PIXELS_PER_TICK.y)) {
      const at = Svg.round(yScale.pixel(value));
      parts.push(Svg.element("line", { class: "grid", x1: box.left, x2: box.right, y1: at, y2: at }));
      parts.push(Svg.text(box.left - 6, at + 4, Numbers.text(value), { class: "tick", "text-anchor": "end" }));
    }
    for (const value of ticksOf(x, box.right - box.left, PIXELS_PER_TICK.x)) {
      const at = Svg.round(xScale.pixel(value));
      parts.push(Svg.element("line", { class: "tick", x1: at, x2: at, y1: box.bottom, y2: box.bottom + 4 }));
      parts.push(Svg.text(at, box.bottom + 17, Numbers.text(value), { class: "tick", "text-anchor": "middle" }));
    }
    parts.push(Svg.element("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }));
    parts.push(Svg.text((box.left + box.right) / 2, height - 5, x.label, { class: "label", "text-anchor": "middle" }));
    parts.push(Svg.text(2, 14, y.label, { class: "label" }));
    return parts.join("");
  };

  const svg = (frame, label, content) =>
    Svg.element(
      "svg",
      { viewBox: `0 0 ${frame.width} ${frame.height}`, role: "img", "aria-label": label, class: "chart" },
      content,
    );

  return Object.freeze({ make, axes, svg });
})();
