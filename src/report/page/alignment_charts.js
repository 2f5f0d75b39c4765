// The charts of an alignment page, one function each: they turn numbers into what LineChart and HeatMap draw.
//
//   view = { data (alignment_data.js), time, channel }
const AlignmentCharts = (() => {
  "use strict";
  const HEIGHT = 250;
  const SMALL = 190;
  const COLORS = 7;
  const TIME = "time (fraction of the length)";
  const COMMON = "common time (fraction of the length)";
  const VALUE = "value (as in the file)";

  const colorOf = (number) => `var(--class-${number % COLORS})`;
  const classColor = (view, group) => colorOf(view.data.raw.classes[group].color);
  const nameOf = (view, group) => view.data.raw.classes[group].name;
  const unit = { domain: [0, 1], label: COMMON };
  const at = (x, y) => `at ${Numbers.text(x, 3)}: ${Numbers.text(y)}`;
  const thinness = (count) => Math.max(0.18, Math.min(0.7, 9 / count));
  const timeText = (time) => `t = ${time.toFixed(2)}`;

  const ringed = ({ mean, deviation }, x, color) => ({
    band: { x, color, low: mean.map((m, i) => m - deviation[i]), high: mean.map((m, i) => m + deviation[i]) },
    line: { name: "mean", x, y: mean, color: "var(--ink)", width: 2.2, role: "mean" },
  });

  const seriesSpec = (view, group, lines, summary, label, x) => {
    const color = classColor(view, group);
    const { band, line } = ringed(summary, view.data.grid, color);
    const opacity = thinness(lines.length);
    return {
      label,
      height: HEIGHT,
      x: { domain: [0, 1], label: x },
      y: { domain: Numbers.padded(Numbers.range([view.data.range(group, view.channel), band.low, band.high])), label: VALUE },
      band,
      lines: [...lines.map((each) => ({ ...each, color, opacity })), line],
      describe: (each, index) => {
        const spread = each.role === "mean" ? ` ± ${Numbers.text(summary.deviation[index])}` : "";
        return `${each.name}\n${at(each.x[index], each.y[index])}${spread}`;
      },
    };
  };

  const seriesBefore = (host, view, group) => {
    const { data, channel } = view;
    const lines = data.itemsOf(group).map((item) => {
      const y = data.recorded(item, channel);
      return { name: `series ${data.number(item)}`, x: Sampling.grid(y.length), y };
    });
    const label = `Series of ${nameOf(view, group)} as recorded, with mean and spread`;
    const spec = seriesSpec(view, group, lines, data.movedStatistics(group, channel, 0), label, TIME);
    if (data.raw.kind === "averages") {
      const mean = spec.lines.pop();
      spec.lines.push({ ...mean, width: 1.4, dash: "4 3" }, averageLine(view, group));
    }
    return LineChart.draw(host, spec);
  };

  const averageLine = (view, group) => {
    const number = view.data.raw.centroids.groups.indexOf(group);
    const y = number < 0 ? [] : view.data.centroids[number][view.channel];
    return { name: "average", x: view.data.grid, y, color: "var(--ink)", width: 2.4, role: "average" };
  };

  const seriesAfter = (host, view, group) => {
    const { data, channel, time } = view;
    const items = data.itemsOf(group);
    const lines = data.moved(group, channel, time).map((y, i) => {
      return { name: `series ${data.number(items[i])}`, x: data.grid, y };
    });
    const label = `Series of ${nameOf(view, group)} moved along their flows to ${timeText(time)}, with mean and spread`;
    return LineChart.draw(host, seriesSpec(view, group, lines, data.movedStatistics(group, channel, time), label, COMMON));
  };

  const heat = (host, view, group, rows, label, x, id) => {
    const items = view.data.itemsOf(group);
    return HeatMap.draw(host, {
      id,
      label,
      height: Math.min(HEIGHT, Math.max(150, 66 + 9 * rows.length)),
      x: { domain: [0, 1], label: x },
      y: { domain: [rows.length, 0], label: "series drawn (row)", ticks: Numbers.ticks(0, rows.length, 4).filter(Number.isInteger) },
      rows,
      range: view.data.range(group, view.channel),
      describe: (row, column) => `series ${view.data.number(items[row])}\n${at(view.data.grid[column], rows[row][column])}`,
    });
  };

  const heatBefore = (host, view, group) => {
    const label = `Heat map of the series of ${nameOf(view, group)} as recorded`;
    return heat(host, view, group, view.data.moved(group, view.channel, 0), label, TIME, `before-${group}`);
  };

  const heatAfter = (host, view, group) => {
    const label = `Heat map of the series of ${nameOf(view, group)} moved to ${timeText(view.time)}`;
    return heat(host, view, group, view.data.moved(group, view.channel, view.time), label, COMMON, `after-${group}`);
  };

  const warps = (host, view, group) => {
    const { data, time } = view;
    const items = data.itemsOf(group);
    const color = classColor(view, group);
    const opacity = thinness(items.length);
    const lines = data.positions(group, time).map((y, i) => {
      return { name: `series ${data.number(items[i])}`, x: data.grid, y, color, opacity, width: 1.1 };
    });
    const ends = [0, 1];
    lines.push({ name: "identity", x: ends, y: ends, color: "var(--ink)", width: 1.4, dash: "5 4", role: "identity" });
    return LineChart.draw(host, {
      label: `Warps of the series of ${nameOf(view, group)} at ${timeText(time)}, with the identity line`,
      height: HEIGHT,
      x: unit,
      y: { domain: Numbers.padded(Numbers.range(lines.map((line) => line.y)), 0), label: "own time φ(x) (fraction of the length)" },
      lines,
      describe: (line, index) => `${line.name}\nφ(${Numbers.text(line.x[index], 3)}) = ${Numbers.text(line.y[index])}`,
    });
  };

  const velocities = (host, view, group, layer) => {
    const { data } = view;
    const color = classColor(view, group);
    const items = data.itemsOf(group);
    const opacity = thinness(items.length);
    const lines = items.map((item) => {
      const y = data.layersOf(item)[layer];
      return { name: `series ${data.number(item)}`, x: Sampling.grid(y.length), y, color, opacity, width: 1.1 };
    });
    return LineChart.draw(host, {
      label: `Velocity fields of the series of ${nameOf(view, group)}, layer ${layer + 1}`,
      height: HEIGHT,
      x: unit,
      y: { domain: Numbers.padded(Numbers.range(lines.map((line) => line.y))), label: "velocity (lengths per unit of flow time)" },
      lines,
      describe: (line, index) => `${line.name}\nv(${Numbers.text(line.x[index], 3)}) = ${Numbers.text(line.y[index])}`,
    });
  };

  /** Those of all classes in one chart, or one of them beside the mean as recorded. */
  const centroids = (host, view, which) => {
    const { data, channel } = view;
    const { names, groups, colors } = data.raw.centroids;
    const chosen = which === undefined ? names.map((_, number) => number) : [which];
    const lines = chosen.map((number) => {
      const color = colorOf(colors[number]);
      return { name: names[number], x: data.grid, y: data.centroids[number][channel], color, width: 2.2 };
    });
    if (which !== undefined && groups[which] >= 0) {
      const { mean } = data.movedStatistics(groups[which], channel, 0);
      lines.unshift({ name: "mean as recorded", x: data.grid, y: mean, color: "var(--quiet)", width: 1.2, dash: "4 3" });
    }
    const everything = data.centroids.map((lines_) => lines_[channel]);
    return LineChart.draw(host, {
      label: which === undefined ? "Centroids of all classes" : `Centroid of ${names[which]} and the mean as recorded`,
      height: which === undefined ? 320 : SMALL,
      x: unit,
      y: { domain: Numbers.padded(Numbers.range([...everything, ...lines.map((line) => line.y)])), label: VALUE },
      lines,
      describe: (line, index) => `${line.name}\n${at(line.x[index], line.y[index])}`,
    });
  };

  /** Logarithmic where the numbers span more than two powers of ten. */
  const curve = (host, view, number) => {
    const { name, axis, lines } = view.data.raw.curves[number];
    const [low, high] = Numbers.range(lines.map((line) => line.y));
    const log = low > 0 && high / low > 100;
    const several = lines.length > 1;
    return LineChart.draw(host, {
      label: `${name} over ${axis}`,
      height: SMALL,
      x: { domain: Numbers.padded(Numbers.range(lines.map((line) => line.x)), 0), label: axis },
      y: { domain: log ? [low * 0.8, high * 1.25] : Numbers.padded([low, high]), label: name + (log ? " (log scale)" : ""), log },
      lines: lines.map((line, i) => ({ ...line, color: colorOf(i), width: 1.6, opacity: several ? 0.8 : 1 })),
      describe: (line, index) =>
        `${several ? line.name + "\n" : ""}${axis} ${Numbers.text(line.x[index])}: ${Numbers.text(line.y[index])}`,
    });
  };

  return Object.freeze({ seriesBefore, seriesAfter, heatBefore, heatAfter, warps, velocities, centroids, curve });
})();
