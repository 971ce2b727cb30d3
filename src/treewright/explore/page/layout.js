// The layout of a tree: the tidy tree of src/treewright/show/layout.py, step by step, so that both give the same
// coordinates (tests/show/layout.json). Children are consecutive and come after their parent.

export function tidy(first, count, widths, gap) {
  const n = count.length;
  const offset = new Float64Array(n);
  const outlines = new Array(n).fill(null);
  for (let id = n - 1; id >= 0; id -= 1) {
    const half = widths[id] / 2;
    if (count[id] === 0) {
      outlines[id] = { left: [-half], right: [half], off: 0 };
      continue;
    }
    const [places, forest] = pack(outlines, first[id], first[id] + count[id], gap);
    const centre = (places[0] + places[places.length - 1]) / 2;
    for (let k = 0; k < count[id]; k += 1) {
      offset[first[id] + k] = places[k] - centre;
      outlines[first[id] + k] = null;
    }
    forest.off -= centre;
    forest.left.push(-half - forest.off);
    forest.right.push(half - forest.off);
    outlines[id] = forest;
  }
  const x = new Float64Array(n);
  x[0] = -(outlines[0].left.reduce((a, b) => Math.min(a, b)) + outlines[0].off);
  for (let id = 0; id < n; id += 1) {
    for (let k = 0; k < count[id]; k += 1) x[first[id] + k] = x[id] + offset[first[id] + k];
  }
  return x;
}

// Where every level begins: the tallest of its nodes, and a gap, below the one above.
export function levelTops(depths, heights, drop) {
  const tall = [];
  depths.forEach((depth, i) => {
    tall[depth] = Math.max(tall[depth] ?? 0, heights[i]);
  });
  const tops = [0];
  tall.forEach((height, depth) => tops.push(tops[depth] + height + drop));
  return tops;
}

function pack(outlines, begin, end, gap) {
  let forest = outlines[begin];
  const places = [0];
  const owners = [[forest.left.length, 0]];
  for (let sibling = 1; sibling < end - begin; sibling += 1) {
    const tree = outlines[begin + sibling];
    let place = 0;
    const shared = Math.min(forest.left.length, tree.left.length);
    for (let level = 1; level <= shared; level += 1) {
      const short = forest.right[forest.right.length - level] + forest.off + gap - (tree.left[tree.left.length - level] + tree.off + place);
      if (short > 0) {
        place += short;
        spread(places, ownerOf(owners, level), short);
      }
    }
    places.push(place);
    while (owners.length > 0 && owners[owners.length - 1][0] <= tree.left.length) owners.pop();
    owners.push([tree.left.length, sibling]);
    forest = join(forest, tree, place);
  }
  return [places, forest];
}

function ownerOf(owners, level) {
  for (let k = owners.length - 1; k >= 0; k -= 1) if (owners[k][0] >= level) return owners[k][1];
  return 0;
}

function spread(places, owner, short) {
  const between = places.length - owner;
  for (let k = owner + 1; k < places.length; k += 1) places[k] += short * ((k - owner) / between);
}

function join(forest, tree, place) {
  const shift = tree.off + place;
  if (forest.left.length >= tree.left.length) {
    for (let level = 1; level <= tree.left.length; level += 1) {
      forest.right[forest.right.length - level] = tree.right[tree.right.length - level] + shift - forest.off;
    }
    return forest;
  }
  for (let level = 1; level <= forest.left.length; level += 1) {
    tree.left[tree.left.length - level] = forest.left[forest.left.length - level] + forest.off - shift;
  }
  tree.off = shift;
  return tree;
}
