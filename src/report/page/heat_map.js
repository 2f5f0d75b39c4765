// One row a series, color for value; missing values are left blank.
//
//   spec = { label, height, x, y (axes of frame.js), rows: [numbers, equally long], range: [low, high], legend,
//            describe(row, column) -> text }
//
// The colors run through ten stations of viridis: equal steps look equally large, in grey and to color-blind people.
const HeatMap = (() => {
  "use strict";
  const STATIONS = ["440154", "482878", "3e4989", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725"].map(
    (text) => [0, 2, 4].map((at) => parseInt(text.slice(at, at + 2), 16)),
  );

  const color = (part) => {
    const at = Math.min(Math.max(part, 0), 1) * (STATIONS.length - 1);
    const from = Math.min(Math.floor(at), STATIONS.length - 2);
    return STATIONS[from].map((value, i) => Math.round(value + (STATIONS[from + 1][i] - value) * (at - from)));
  };

  /** A picture with a pixel for every value, as a data URL. */
  const picture = (rows, [low, high]) => {
    const canvas = document.createElement("canvas");
    canvas.width = rows[0].length;
    canvas.height = rows.length;
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    const span = high - low || 1;
    rows.forEach((row, y) => {
      row.forEach((value, x) => {
        if (!Number.isFinite(value)) return;
        image.data.set([...color((value - low) / span), 255], 4 * (y * canvas.width + x));
      });
    });
    context.putImageData(image, 0, 0);
    return canvas.toDataURL();
  };

  const legend = (frame, spec) => {
    const width = 72;
    const right = frame.box.right - 34;
    const stops = STATIONS.map((each, i) => {
      return Svg.element("stop", { offset: i / (STATIONS.length - 1), style: `stop-color:rgb(${each})` });
    });
    const id = `ramp-${spec.id}`;
    return [
      Svg.element("linearGradient", { id }, stops.join("")),
      Svg.element("rect", { x: right - width, y: 5, width, height: 10, fill: `url(#${id})` }),
      Svg.text(right - width - 5, 14, Numbers.text(spec.range[0], 2), { class: "tick", "text-anchor": "end" }),
      Svg.text(right + 5, 14, Numbers.text(spec.range[1], 2), { class: "tick" }),
    ].join("");
  };

  const draw = (host, spec) => {
    const frame = Frame.make(Math.max(host.clientWidth, 160), spec.height, spec.x, spec.y);
    const { left, right, top, bottom } = frame.box;
    const columns = spec.rows[0].length;
    const rowHeight = (bottom - top) / spec.rows.length;
    const columnWidth = (right - left) / columns;
    const href = picture(spec.rows, spec.range);
    const box = { x: left, y: top, width: right - left, height: bottom - top };
    const content =
      Frame.axes(frame) +
      Svg.element("rect", { ...box, class: "blank" }) +
      Svg.element("image", { ...box, href, preserveAspectRatio: "none", class: "heat" }) +
      legend(frame, spec);
    host.innerHTML = Frame.svg(frame, spec.label, content);
    const place = (part, count) => Math.min(Math.max(Math.floor(part), 0), count - 1);
    return {
      lines: spec.rows.length,
      places: () => columns,
      nearest: (px, py) => ({
        line: place((py - top) / rowHeight, spec.rows.length),
        index: place((px - left) / columnWidth, columns),
      }),
      mark: ({ line, index }) => ({
        px: left + (index + 0.5) * columnWidth,
        py: top + (line + 0.5) * rowHeight,
        text: spec.describe(line, index),
        outline: `M${left} ${top + line * rowHeight}H${right}v${rowHeight}H${left}z`,
      }),
    };
  };

  return Object.freeze({ draw, color });
})();
