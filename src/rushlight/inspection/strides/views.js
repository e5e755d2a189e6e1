// What the view operators do to offset, sizes and strides. No element moves: a view is {offset, size, stride}.
// Pure functions, so that a test can run them without a page; errors are thrown as text.
"use strict";

const Views = (() => {
  const fail = (text) => { throw new Error(text); };
  const numel = (size) => size.reduce((a, b) => a * b, 1);
  const rowMajor = (size) => {
    const stride = [];
    let step = 1;
    for (let d = size.length - 1; d >= 0; d--) { stride[d] = step; step *= Math.max(size[d], 1); }
    return stride;
  };
  const wrap = (name, d, n) => {
    if (!Number.isInteger(d)) fail(`${name}(): a dimension must be an integer; found ${d}`);
    const most = Math.max(n, 1);
    if (d < -most || d >= most) fail(`${name}(): dim must be in [${-most}, ${most - 1}]; found ${d}`);
    return d < 0 ? d + most : d;
  };
  const spliced = (xs, at, n, ...more) => [...xs.slice(0, at), ...more, ...xs.slice(at + n)];
  const made = (offset, size, stride) => ({ offset, size, stride });

  /** The cells of a view in the order of its elements. */
  function cells(v) {
    let found = [v.offset];
    v.size.forEach((n, d) => {
      const next = [];
      for (const at of found) for (let i = 0; i < n; i++) next.push(at + i * v.stride[d]);
      found = next;
    });
    return found;
  }

  /** The least and greatest cell that a view reaches; null for an empty one. */
  function reach(v) {
    if (!numel(v.size)) return null;
    let low = v.offset, high = v.offset;
    v.size.forEach((n, d) => {
      const far = (n - 1) * v.stride[d];
      if (far < 0) low += far; else high += far;
    });
    return [low, high];
  }

  /** Strides of other sizes over the same elements in the same order; null where no strides do that. */
  function stridesOf(v, size) {
    if (!numel(v.size)) return String(size) === String(v.size) ? [...v.stride] : rowMajor(size);
    const old = v.size.map((n, d) => [n, v.stride[d]]).filter(([n]) => n !== 1);
    const chunks = [];  // runs of dimensions that lie as one: [elements, step]
    for (const [n, step] of old) {
      const last = chunks[chunks.length - 1];
      if (last && last[1] === n * step) { last[0] *= n; last[1] = step; } else chunks.push([n, step]);
    }
    const stride = [];
    let chunk = chunks.length - 1, inside = 1;  // elements of the chunk that inner sizes hold
    for (let d = size.length - 1; d >= 0; d--) {
      if (chunk < 0) { stride[d] = d + 1 < size.length ? stride[d + 1] * size[d + 1] : 1; continue; }
      if (size[d] !== 1 && inside === chunks[chunk][0]) { chunk--; inside = 1; }
      if (chunk < 0) { stride[d] = 1; continue; }
      stride[d] = inside * chunks[chunk][1];
      inside *= size[d];
      if (chunks[chunk][0] % inside) return null;
    }
    return stride;
  }

  /** Sizes with -1 replaced. */
  function inferred(name, size, total) {
    const holes = size.filter((s) => s === -1).length;
    const known = numel(size.filter((s) => s !== -1));
    if (holes > 1) fail(`${name}(): at most one size may be -1; found ${size.join(", ")}`);
    if (size.some((s) => !Number.isInteger(s) || s < -1)) fail(`${name}(): sizes must be integers, at least 0 or one -1; found ${size.join(", ")}`);
    if (holes && known === 0) fail(`${name}(): any size in the place of -1 makes 0 elements; give the size`);
    if (holes ? total % known : known !== total) fail(`${name}(): sizes ${size.join(", ")} do not hold the ${total} elements`);
    return size.map((s) => (s === -1 ? total / known : s));
  }

  /** Why no strides lead through the elements: the cells in their order, with their distances. */
  function whyNot(v, size) {
    const at = cells(v).slice(0, 12);
    const steps = at.slice(1).map((c, i) => c - at[i]);
    return `view(): sizes ${size.join(", ")} cannot be a view: in their order the elements lie in the cells ${at.join(", ")}${numel(v.size) > 12 ? ", ..." : ""}, ` +
      `${steps.length} steps of ${[...new Set(steps)].join(", ")}; a dimension has one step only. reshape() copies.`;
  }

  const ops = {
    view(v, ...size) {
      const wanted = inferred("view", size, numel(v.size));
      return made(v.offset, wanted, stridesOf(v, wanted) || fail(whyNot(v, wanted)));
    },
    flatten(v, first = 0, last = -1) {
      const n = v.size.length, a = wrap("flatten", first, n), b = wrap("flatten", last, n);
      if (a > b) fail(`flatten(): start_dim must not come after end_dim; found ${a} and ${b}`);
      if (!n) return ops.view(v, 1);
      if (a === b) return made(v.offset, [...v.size], [...v.stride]);
      return ops.view(v, ...v.size.slice(0, a), numel(v.size.slice(a, b + 1)), ...v.size.slice(b + 1));
    },
    unflatten(v, dim, ...size) {
      const d = wrap("unflatten", dim, v.size.length);
      return ops.view(v, ...v.size.slice(0, d), ...inferred("unflatten", size, v.size[d]), ...v.size.slice(d + 1));
    },
    t(v) {
      if (v.size.length > 2) fail(`t(): expected at most 2 dimensions; found ${v.size.length}`);
      return made(v.offset, [...v.size].reverse(), [...v.stride].reverse());
    },
    transpose(v, first, second) {
      const n = v.size.length, a = wrap("transpose", first, n), b = wrap("transpose", second, n);
      const order = v.size.map((_, d) => (d === a ? b : d === b ? a : d));
      return ops.permute(v, ...order);
    },
    permute(v, ...dims) {
      const n = v.size.length;
      if (dims.length !== n) fail(`permute(): expected ${n} dimensions; found ${dims.length}`);
      const order = dims.map((d) => wrap("permute", d, n));
      if (new Set(order).size !== n) fail(`permute(): a dimension is named twice in ${dims.join(", ")}`);
      return made(v.offset, order.map((d) => v.size[d]), order.map((d) => v.stride[d]));
    },
    movedim(v, from, to) {
      const n = v.size.length, a = wrap("movedim", from, n), b = wrap("movedim", to, n);
      const order = v.size.map((_, d) => d).filter((d) => d !== a);
      order.splice(b, 0, ...(n ? [a] : []));
      return ops.permute(v, ...order);
    },
    unsqueeze(v, dim) {
      const d = wrap("unsqueeze", dim, v.size.length + 1);
      const step = d < v.size.length ? v.size[d] * v.stride[d] : 1;
      return made(v.offset, spliced(v.size, d, 0, 1), spliced(v.stride, d, 0, step));
    },
    squeeze(v, dim) {
      const only = dim === undefined ? null : wrap("squeeze", dim, v.size.length);
      const kept = v.size.map((_, d) => d).filter((d) => v.size[d] !== 1 || (only !== null && d !== only));
      return made(v.offset, kept.map((d) => v.size[d]), kept.map((d) => v.stride[d]));
    },
    expand(v, ...size) {
      const lead = size.length - v.size.length;
      if (lead < 0) fail(`expand(): expected at least ${v.size.length} sizes; found ${size.length}`);
      const stride = [], wanted = [];
      size.forEach((s, k) => {
        const d = k - lead;
        if (s === -1 && d < 0) fail("expand(): -1 stands for a size that is there; a new dimension needs one");
        if (!Number.isInteger(s) || s < -1) fail(`expand(): sizes must be integers, at least 0 or -1; found ${s}`);
        wanted[k] = s === -1 ? v.size[d] : s;
        if (d >= 0 && v.size[d] !== 1 && v.size[d] !== wanted[k]) fail(`expand(): dimension ${d} has ${v.size[d]} elements, and only 1 can become ${s}`);
        stride[k] = d >= 0 && v.size[d] === wanted[k] ? v.stride[d] : 0;
      });
      return made(v.offset, wanted, stride);
    },
    select(v, dim, index) {
      if (!v.size.length) fail("select(): the tensor must have a dimension; found a 0-d tensor");
      const d = wrap("select", dim, v.size.length), n = v.size[d];
      if (!Number.isInteger(index) || index < -n || index >= n) fail(`select(): index must be in [${-n}, ${n - 1}]; found ${index}`);
      return made(v.offset + (index < 0 ? index + n : index) * v.stride[d], spliced(v.size, d, 1), spliced(v.stride, d, 1));
    },
    narrow(v, dim, start, length) {
      if (!v.size.length) fail("narrow(): the tensor must have a dimension; found a 0-d tensor");
      const d = wrap("narrow", dim, v.size.length), n = v.size[d];
      if (start < -n || start > n) fail(`narrow(): start must be in [${-n}, ${n}]; found ${start}`);
      const from = start < 0 ? start + n : start;
      if (length < 0 || from + length > n) fail(`narrow(): start + length must be at most ${n}; found ${from} + ${length}`);
      return made(v.offset + from * v.stride[d], spliced(v.size, d, 1, length), [...v.stride]);
    },
    // x[..., start:stop:step] of one dimension, by Python's rules; null stands for an end that is left out
    slice(v, dim, start = null, stop = null, step = null) {
      if (!v.size.length) fail("a slice: the tensor must have a dimension; found a 0-d tensor");
      const d = wrap("slice", dim, v.size.length), n = v.size[d], by = step === null ? 1 : step;
      if (by === 0) fail("the step of a slice must not be 0");
      const low = by < 0 ? -1 : 0, high = by < 0 ? n - 1 : n;
      const end = (x, missing) => (x === null ? missing : Math.min(Math.max(x < 0 ? x + n : x, low), high));
      const a = end(start, by < 0 ? high : low), b = end(stop, by < 0 ? low : high);
      const count = Math.max(0, Math.ceil((b - a) / by));
      return made(v.offset + (count ? a * v.stride[d] : 0), spliced(v.size, d, 1, count), spliced(v.stride, d, 1, by * v.stride[d]));
    },
    diagonal(v, offset = 0, first = 0, second = 1) {
      const n = v.size.length;
      if (n < 2) fail(`diagonal(): expected at least 2 dimensions; found ${n}`);
      const a = wrap("diagonal", first, n), b = wrap("diagonal", second, n);
      if (a === b) fail(`diagonal(): dim1 and dim2 must differ; both are ${a}`);
      const length = Math.max(0, offset >= 0 ? Math.min(v.size[a], v.size[b] - offset) : Math.min(v.size[a] + offset, v.size[b]));
      const from = length ? (offset >= 0 ? offset * v.stride[b] : -offset * v.stride[a]) : 0;
      const kept = v.size.map((_, d) => d).filter((d) => d !== a && d !== b);
      return made(v.offset + from, [...kept.map((d) => v.size[d]), length], [...kept.map((d) => v.stride[d]), v.stride[a] + v.stride[b]]);
    },
    unfold(v, dim, size, step) {
      const n = v.size.length, d = wrap("unfold", dim, n), most = n ? v.size[d] : 1;
      if (size < 0 || size > most) fail(`unfold(): size must be in [0, ${most}], the size of dimension ${d}; found ${size}`);
      if (step < 1) fail(`unfold(): step must be at least 1; found ${step}`);
      if (!n) return made(v.offset, [size], [1]);
      return made(v.offset, [...spliced(v.size, d, 1, Math.floor((most - size) / step) + 1), size], [...spliced(v.stride, d, 1, v.stride[d] * step), v.stride[d]]);
    },
    // (torch.as_strided refuses negative strides; the page's sliders do not, and their code ends in [::-1])
    as_strided(v, size, stride, offset = v.offset) {
      if (size.length !== stride.length) fail(`as_strided(): size and stride must have one length; found ${size.length} and ${stride.length}`);
      if (size.some((s) => s < 0)) fail(`as_strided(): sizes must be at least 0; found ${size.join(", ")}`);
      if (offset < 0) fail(`as_strided(): storage_offset must be at least 0; found ${offset}`);
      return made(offset, [...size], [...stride]);
    },
  };

  /** The view that an operator makes; the storage has `length` cells of the view's elements. */
  function apply(v, name, args, length) {
    const r = ops[name](v, ...args), at = reach(r);
    if (at && (at[0] < 0 || at[1] >= length)) fail(`${name}: would read cell ${at[0] < 0 ? at[0] : at[1]}; the storage has the cells 0 to ${length - 1}`);
    return r;
  }

  /** A step written in Python, after the code that led to it. */
  function code(before, name, args) {
    const list = (xs) => `(${xs.join(", ")}${xs.length === 1 ? "," : ""})`;
    if (name === "as_strided") {
      const [size, stride, offset] = args;
      const turned = stride.map((s, d) => s < 0 && size[d] > 1);
      const from = offset + stride.reduce((a, s, d) => a + (turned[d] ? s * (size[d] - 1) : 0), 0);
      const last = turned.lastIndexOf(true);
      const back = last < 0 ? "" : `[${turned.slice(0, last + 1).map((x) => (x ? "::-1" : ":")).join(", ")}]`;
      return `${before}.as_strided(${list(size)}, ${list(stride.map(Math.abs))}, ${from})${back}`;
    }
    if (name === "slice") {
      const [dim, ...ends] = args;
      const shown = ends.map((x) => (x === null || x === undefined ? "" : x));
      const text = `${shown[0] ?? ""}:${shown[1] ?? ""}${shown[2] === undefined || shown[2] === "" ? "" : `:${shown[2]}`}`;
      return dim < 0 ? `${before}[..., ${text}${", :".repeat(-1 - dim)}]` : `${before}[${":, ".repeat(dim)}${text}]`;
    }
    if (name === "unflatten") return `${before}.unflatten(${args[0]}, ${list(args.slice(1))})`;
    return `${before}.${name}(${args.join(", ")})`;
  }

  return { ops, apply, cells, code, numel, reach, rowMajor };
})();

if (typeof module !== "undefined") module.exports = Views;
