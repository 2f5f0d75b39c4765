// What an alignment page has to draw: the numbers in it, unpacked, and series moved along their flows.
//
// Series are kept in the order of their classes. `time` 0 is the series as recorded, 1 the aligned one as the library
// made it; between, each is read at phi(x, time), which is evaluated here (flow.js).
const AlignmentData = (() => {
  "use strict";
  const slice = (array, index, size) => array.subarray(index * size, (index + 1) * size);

  /** One series: an array a channel, each of its own length. */
  const unpackSeries = ({ lengths, values }, channels) => {
    const all = Packed.floats(values);
    let start = 0;
    return lengths.map((length) => {
      const own = Array.from({ length: channels }, (_, c) => all.subarray(start + c * length, start + (c + 1) * length));
      start += channels * length;
      return own;
    });
  };

  /** (count, channels, points) as an array of arrays of lines. */
  const unpackBlock = (text, channels, points) => {
    const all = Packed.floats(text);
    const count = points ? all.length / (channels * points) : 0;
    return Array.from({ length: count }, (_, item) =>
      Array.from({ length: channels }, (_unused, c) => slice(all, item * channels + c, points)),
    );
  };

  const unpackLayers = ({ vertices, layers }) => {
    const unpacked = layers.map(Packed.doubles);
    return (item) => unpacked.map((all) => slice(all, item, vertices));
  };

  const open = (raw) => {
    const { channels, points } = raw;
    const grid = Sampling.grid(points);
    const series = unpackSeries(raw.series, channels);
    const block = (text) => (text ? unpackBlock(text, channels, points) : null);
    const aligned = block(raw.aligned);
    const flows = raw.velocities ? unpackLayers(raw.velocities) : null;
    const statistics = {
      before: { mean: block(raw.before.mean), deviation: block(raw.before.deviation) },
      after: raw.after && { mean: block(raw.after.mean), deviation: block(raw.after.deviation) },
    };
    const remembered = new Map(); // positions of one class at the time last asked for
    const ranges = new Map();

    const itemsOf = (group) => {
      const { first, drawn } = raw.classes[group];
      return Array.from({ length: drawn }, (_, i) => first + i);
    };

    const positions = (group, time) => {
      const known = remembered.get(group);
      if (known && known.time === time) return known.lines;
      const lines = itemsOf(group).map((item) => Flow.positions(flows(item), grid, time));
      remembered.set(group, { time, lines });
      return lines;
    };

    const moved = (group, channel, time) => {
      const items = itemsOf(group);
      if (time === 1) return items.map((item) => aligned[item][channel]);
      const places = time === 0 ? items.map(() => grid) : positions(group, time);
      return items.map((item, i) => Sampling.readAll(series[item][channel], places[i]));
    };

    /** Of a class before and after: the same for both sides of a comparison, so that the eye may compare. */
    const range = (group, channel) => {
      const key = `${group}/${channel}`;
      if (!ranges.has(key)) {
        const recorded = itemsOf(group).map((item) => series[item][channel]);
        ranges.set(key, Numbers.range([...recorded, ...(aligned ? moved(group, channel, 1) : [])]));
      }
      return ranges.get(key);
    };

    const movedStatistics = (group, channel, time) => {
      const given = time === 0 ? statistics.before : time === 1 ? statistics.after : null;
      if (given) return { mean: given.mean[group][channel], deviation: given.deviation[group][channel] };
      return Sampling.summary(moved(group, channel, time));
    };

    return {
      raw,
      grid,
      hasFlow: flows !== null,
      hasAligned: aligned !== null,
      itemsOf,
      recorded: (item, channel) => series[item][channel],
      number: (item) => raw.series.numbers[item],
      layersOf: (item) => flows(item),
      positions,
      moved,
      range,
      movedStatistics,
      centroids: block(raw.centroids.values),
    };
  };

  return Object.freeze({ open });
})();
