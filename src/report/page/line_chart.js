// Many thin lines, and a few that matter: series, warps, fields, centroids, curves.
//
//   spec = { label, height, x, y (axes of frame.js),
//            lines: [{ name, x, y, color, width, opacity, dash, role (of lines that are drawn on top) }],
//            band: { x, low, high, color } (optional),
//            describe(line, index) -> text of what the reader points at }
//
// A chart answers where the line nearest to a pixel is (`nearest`) and what is there (`mark`): probe.js does the rest.
const LineChart = (() => {
  "use strict";
  const pathOf = (frame, line) => Svg.path(line.x, line.y, frame.xScale.pixel, frame.yScale.pixel);

  const stroke = (line) =>
    `fill:none;stroke:${line.color};stroke-width:${line.width || 1};stroke-opacity:${line.opacity || 1}` +
    (line.dash ? `;stroke-dasharray:${line.dash}` : "");

  const bandOf = (frame, { x, low, high, color }) => {
    const d = Svg.area(x, low, high, frame.xScale.pixel, frame.yScale.pixel);
    return Svg.element("path", { d, class: "band", style: `fill:${color};stroke:${color}` });
  };

  /** The many below, then the band, then the lines that matter, which have a role. */
  const content = (frame, spec) => {
    const paths = (lines) =>
      lines.map((line) => Svg.element("path", { d: pathOf(frame, line), class: line.role || "line", style: stroke(line) }));
    return [
      Frame.axes(frame),
      ...paths(spec.lines.filter((line) => !line.role)),
      spec.band ? bandOf(frame, spec.band) : "",
      ...paths(spec.lines.filter((line) => line.role)),
    ].join("");
  };

  /** The place of `value` in increasing numbers, or the one nearest to it. */
  const nearestIndex = (numbers, value) => {
    let low = 0;
    let high = numbers.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (numbers[middle] <= value) low = middle;
      else high = middle;
    }
    return high >= 0 && value - numbers[low] > numbers[high] - value ? high : low;
  };

  const nearest = (frame, spec, px, py) => {
    let best = null;
    let least = Infinity;
    const value = frame.xScale.value(px);
    spec.lines.forEach((line, number) => {
      const index = nearestIndex(line.x, value);
      const distance = Math.abs(frame.yScale.pixel(line.y[index]) - py);
      if (distance < least) {
        least = distance;
        best = { line: number, index };
      }
    });
    return best;
  };

  const mark = (frame, spec, { line, index }) => {
    const chosen = spec.lines[line];
    const at = { px: frame.xScale.pixel(chosen.x[index]), py: frame.yScale.pixel(chosen.y[index]) };
    return { ...at, text: spec.describe(chosen, index), outline: pathOf(frame, chosen) };
  };

  /** Draws into `host`, as wide as it is. */
  const draw = (host, spec) => {
    const frame = Frame.make(Math.max(host.clientWidth, 160), spec.height, spec.x, spec.y);
    host.innerHTML = Frame.svg(frame, spec.label, content(frame, spec));
    return {
      lines: spec.lines.length,
      places: (line) => spec.lines[line].x.length,
      nearest: (px, py) => nearest(frame, spec, px, py),
      mark: (place) => mark(frame, spec, place),
    };
  };

  return Object.freeze({ draw });
})();
