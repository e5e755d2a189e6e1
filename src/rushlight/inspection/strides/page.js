// The page around Views: storages, grids, sliders and buttons. The tensors and storages are read from #data.
"use strict";

(() => {
  const COLOURS = ["#2f6fed", "#d1495b", "#2e933c", "#b5651d", "#7b4bbf", "#00848f", "#8a6d00", "#c2389a"];
  const { storages, tensors: given } = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  };
  const list = (xs) => `(${xs.join(", ")}${xs.length === 1 ? "," : ""})`;

  const tensors = given.map((t, i) => ({ ...t, code: t.name, colour: COLOURS[i % COLOURS.length], past: [], at: null }));
  let chosen = 0, made = tensors.length;

  /** The cells of the storage that an element takes, by the element's place in units of its dtype. */
  const cellsOf = (t, place) => {
    const wide = t.item / storages[t.storage].cell;
    return Array.from({ length: wide }, (_, k) => place * wide + k);
  };
  const lengthOf = (t) => Math.floor(storages[t.storage].bytes / t.item);
  const valueOf = (t, place) => storages[t.storage].values[t.dtype][place];

  // ------------------------------------------------------------------------------------------------------- pointing
  function clear() {
    for (const node of document.querySelectorAll(".marked")) node.classList.remove("marked");
  }

  function pointAt(t, index, place) {
    clear();
    const cells = new Set(cellsOf(t, place));
    mark(t.storage, cells);
    const terms = index.map((i, d) => `${i}·${t.view.stride[d]}`);
    const sum = [t.view.offset, ...terms].join(" + ");
    $("formula").textContent = `${t.name}[${index.join(", ")}] is ${valueOf(t, place) || "unknown"}: offset + Σ index·stride = ${sum} = ${place}` +
      (cells.size > 1 ? ` (cells ${[...cells].join(" and ")}, ${t.item} bytes)` : "");
  }

  /** Mark cells, and every element of any tensor that lies there. */
  function mark(storage, cells) {
    for (const c of cells) $(`cell-${storage}-${c}`)?.classList.add("marked");
    for (const td of document.querySelectorAll(`td[data-storage="${storage}"]`)) {
      const t = tensors[td.dataset.tensor];
      if (cellsOf(t, Number(td.dataset.place)).some((c) => cells.has(c))) td.classList.add("marked");
    }
  }

  function pointAtCell(s, c) {
    clear();
    mark(s, new Set([c]));
    const users = [];
    for (const t of tensors) {
      if (t.storage !== s) continue;
      const n = Views.cells(t.view).filter((p) => cellsOf(t, p).includes(c)).length;
      if (n) users.push(`${t.name} ${n === 1 ? "once" : `${n} times`}`);
    }
    $("formula").textContent = `Cell ${c} is read by ${users.join(", ") || "no tensor"}.`;
  }

  // ------------------------------------------------------------------------------------------------------- drawing
  function drawStorages() {
    $("storages").replaceChildren(...storages.map((s, k) => {
      const on = tensors.filter((t) => t.storage === k);
      const used = on.map((t) => new Set(Views.cells(t.view).flatMap((p) => cellsOf(t, p))));
      const narrow = Object.keys(s.values).find((d) => s.values[d].length === Math.floor(s.bytes / s.cell));
      const cells = Array.from({ length: Math.floor(s.bytes / s.cell) }, (_, c) => element("li", { id: `cell-${k}-${c}`, onmouseenter: () => pointAtCell(k, c) },
        element("span", { class: "users" }, ...used.flatMap((u, i) => (u.has(c) ? [element("span", { style: `background: ${on[i].colour}` })] : []))),
        element("span", { class: "value" }, narrow ? s.values[narrow][c] : ""),
        element("span", { class: "index" }, String(c))));
      const shared = [];
      on.forEach((a, i) => on.forEach((b, j) => {
        if (j > i) shared.push(`${a.name} and ${b.name} share ${[...used[i]].filter((c) => used[j].has(c)).length} cells`);
        if (j === i && used[i].size < Views.numel(a.view.size) * (a.item / s.cell)) shared.push(`elements of ${a.name} overlap`);
      }));
      return element("section", {}, element("h2", {}, `Storage${storages.length > 1 ? ` ${k}` : ""}: ${cells.length} cells of ${s.cell} byte${s.cell > 1 ? "s" : ""}`),
        element("ol", { class: "cells" }, ...cells), element("p", {}, shared.length ? `${shared.join("; ")}.` : ""));
    }));
  }

  /** Grids of a view: the last two dimensions as a table, those before them as one table each. */
  function grids(t, k) {
    const { size, stride, offset } = t.view, n = size.length;
    if (!Views.numel(size)) return element("p", {}, "no elements");
    const [rows, columns] = [n > 1 ? size[n - 2] : 1, n ? size[n - 1] : 1];
    const blocks = [];
    const walk = (index, place) => {
      if (index.length < Math.max(n - 2, 0)) {
        for (let i = 0; i < size[index.length]; i++) walk([...index, i], place + i * stride[index.length]);
        return;
      }
      const body = [];
      for (let r = 0; r < rows; r++) {
        const row = [];
        for (let c = 0; c < columns; c++) {
          const full = [...index, ...(n > 1 ? [r] : []), ...(n ? [c] : [])];
          const at = place + (n > 1 ? r * stride[n - 2] : 0) + (n ? c * stride[n - 1] : 0);
          row.push(element("td", {
            tabindex: full.every((i) => i === 0) ? 0 : -1, "data-tensor": k, "data-storage": t.storage, "data-place": at, "data-index": full.join(","),
            "aria-label": `${t.name}[${full.join(", ")}] is ${valueOf(t, at) || "unknown"}, cell ${at}`,
            onmouseenter: () => pointAt(t, full, at), onfocus: () => pointAt(t, full, at), onclick: () => choose(k),
          }, valueOf(t, at) || "·"));
        }
        body.push(element("tr", {}, ...row));
      }
      const caption = n > 2 ? [element("caption", {}, `[${index.join(", ")}]`)] : [];
      blocks.push(element("table", { "aria-label": `${t.name}${n > 2 ? `[${index.join(", ")}]` : ""}` }, ...caption, element("tbody", {}, ...body)));
    };
    walk([], offset);
    const whole = element("div", { class: "blocks" }, ...blocks);
    whole.addEventListener("keydown", (event) => move(event, whole, size));
    return whole;
  }

  function move(event, whole, size) {
    const n = size.length;
    const steps = { ArrowRight: [n - 1, 1], ArrowLeft: [n - 1, -1], ArrowDown: [n - 2, 1], ArrowUp: [n - 2, -1], PageDown: [0, 1], PageUp: [0, -1] };
    const step = steps[event.key];
    if (!step || event.target.dataset.index === undefined) return;
    event.preventDefault();
    const [d, by] = step;
    if (d < 0) return;
    const index = event.target.dataset.index.split(",").map(Number);
    index[d] = Math.min(Math.max(index[d] + by, 0), size[d] - 1);
    const next = whole.querySelector(`td[data-index="${index.join(",")}"]`);
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  function drawTensors() {
    $("tensors").replaceChildren(...tensors.map((t, k) => element("section", { class: "tensor", style: `border-color: ${t.colour}`, "aria-label": `Tensor ${t.name}` },
      element("h3", {}, element("button", { type: "button", class: "name", "aria-pressed": String(k === chosen), onclick: () => choose(k) }, t.name)),
      element("p", {}, `${t.dtype}, offset ${t.view.offset}, sizes ${list(t.view.size)}, strides ${list(t.view.stride)}`), grids(t, k))));
  }

  function drawTable() {
    const t = tensors[chosen], rows = [];
    const walk = (index, place) => {
      const d = index.length;
      if (d < t.view.size.length) { for (let i = 0; i < t.view.size[d]; i++) walk([...index, i], place + i * t.view.stride[d]); return; }
      const sum = [t.view.offset, ...index.map((i, e) => `${i}·${t.view.stride[e]}`)].join(" + ");
      rows.push(element("tr", {}, ...[`[${index.join(", ")}]`, sum, place, valueOf(t, place) || "unknown"].map((x) => element("td", {}, String(x)))));
    };
    walk([], t.view.offset);
    const head = ["index", "offset + Σ index·stride", "cell", "value"].map((x) => element("th", { scope: "col" }, x));
    $("table").replaceChildren(element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)));
  }

  function drawControls() {
    const t = tensors[chosen];
    $("chosen").textContent = `Change ${t.name}`;
    $("code").textContent = t.code === t.name ? t.name : `${t.name} = ${t.code}`;
    $("undo").disabled = !t.past.length;
    $("remove").disabled = tensors.length === 1;
    $("fewer").disabled = !t.view.size.length;
  }

  function drawSliders() {
    const t = tensors[chosen], length = lengthOf(t), rows = [];
    const row = (label, value, low, high, set) => {
      const both = ["range", "number"].map((type) => element("input", { type, min: low, max: high, step: 1, value, "aria-label": label }));
      both.forEach((input, i) => input.addEventListener("input", () => {
        if (input.value === "" || !Number.isInteger(Number(input.value))) return;
        both[1 - i].value = input.value;
        const view = { offset: t.view.offset, size: [...t.view.size], stride: [...t.view.stride] };
        set(view, Number(input.value));
        slide(view);
      }));
      rows.push(element("span", {}, label), ...both);
    };
    row("offset", t.view.offset, 0, Math.max(length - 1, 0), (v, x) => { v.offset = x; });
    t.view.size.forEach((n, d) => {
      row(`size ${d}`, n, 0, Math.max(n, Math.min(length, 16)), (v, x) => { v.size[d] = x; });
      const most = Math.max(Math.abs(t.view.stride[d]), Math.min(length, 64));
      row(`stride ${d}`, t.view.stride[d], -most, most, (v, x) => { v.stride[d] = x; });
    });
    $("sliders").replaceChildren(...rows);
  }

  function draw() {
    drawStorages();
    drawTensors();
    drawControls();
    drawTable();
  }

  function choose(k) {
    chosen = k;
    $("problem").textContent = "";
    for (const [i, button] of document.querySelectorAll("button.name").entries()) button.setAttribute("aria-pressed", String(i === k));
    drawControls();
    drawSliders();
    drawTable();
  }

  // ------------------------------------------------------------------------------------------------------- changing
  const base = (t) => (t.sliding ? t.past[t.past.length - 1] : t);

  /** Take on what sliders say; sliding on is one step of the code. */
  function slide(view) {
    const t = tensors[chosen], from = base(t), args = [view.size, view.stride, view.offset];
    try {
      const next = Views.apply(from.view, "as_strided", args, lengthOf(t));
      if (Views.numel(next.size) > 4096) throw new Error("the page draws at most 4096 elements");
      if (!t.sliding) t.past.push({ view: t.view, code: t.code });
      t.view = next;
      t.code = Views.code(from.code, "as_strided", args);
      t.sliding = true;
      $("problem").textContent = "";
    } catch (error) { $("problem").textContent = error.message; }
    draw();
  }

  function call(name, args) {
    const t = tensors[chosen];
    let next;
    try {
      next = Views.apply(t.view, name, args, lengthOf(t));
      if (Views.numel(next.size) > 4096) throw new Error("the page draws at most 4096 elements");
    } catch (error) {
      $("problem").textContent = error.message;
      return;
    }
    const code = Views.code(t.code, name, args);
    $("problem").textContent = "";
    if ($("keep").checked) {
      const letter = `v${made - given.length}`;
      tensors.push({ ...t, name: letter, code: Views.code(t.name, name, args), view: next, past: [], sliding: false, colour: COLOURS[made++ % COLOURS.length] });
      chosen = tensors.length - 1;
    } else {
      t.past.push({ view: t.view, code: t.code });
      Object.assign(t, { view: next, code, sliding: false });
    }
    draw();
    drawSliders();
  }

  const numbers = (text) => (text.trim() ? text.split(",").map((x) => {
    const n = Number(x);
    if (x.trim() === "" || !Number.isInteger(n)) throw new Error(`expected whole numbers with commas between them; found '${text}'`);
    return n;
  }) : []);
  const ends = (text) => {
    const [dim, slice, ...rest] = text.split(",");
    const parts = (slice ?? "").split(":").map((x) => (x.trim() === "" ? null : numbers(x)[0]));
    if (rest.length || slice === undefined || parts.length < 2 || parts.length > 3) throw new Error(`expected a dimension and a slice, as in '0, 1:3'; found '${text}'`);
    return [numbers(dim)[0], ...parts];
  };
  // name, what stands in its field, what the field is for
  const OPERATORS = [
    ["t"], ["transpose", "0, 1", "two dimensions"], ["permute", "1, 0", "dimensions in their new order"], ["movedim", "0, 1", "from, to"],
    ["view", "-1", "sizes"], ["flatten", "", "first and last dimension, or nothing"], ["unflatten", "0, 1, -1", "dimension, sizes"],
    ["slice", "0, ::-1", "dimension, start:stop:step"], ["select", "0, 0", "dimension, index"], ["narrow", "0, 0, 1", "dimension, start, length"],
    ["unsqueeze", "0", "dimension"], ["squeeze", "", "dimension, or nothing"], ["expand", "2, -1, -1", "sizes"],
    ["diagonal", "0", "offset, two dimensions"], ["unfold", "0, 2, 1", "dimension, size, step"],
  ];

  $("operators").append(...OPERATORS.map(([name, value, what]) => {
    const field = value === undefined ? null : element("input", { type: "text", value, title: what, "aria-label": `${name}: ${what}`, autocomplete: "off" });
    const form = element("form", {}, element("button", { type: "submit" }, name), ...(field ? [field] : []));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      try { call(name, field ? (name === "slice" ? ends : numbers)(field.value) : []); }
      catch (error) { $("problem").textContent = error.message; }
    });
    return form;
  }));
  $("copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText($("code").textContent);
      $("copy").textContent = "Copied";
    } catch {  // a page in a frame may not; the code is selected instead
      getSelection().selectAllChildren($("code"));
      $("copy").textContent = "Selected: copy it now";
    }
    setTimeout(() => { $("copy").textContent = "Copy the code"; }, 2000);
  });
  $("undo").addEventListener("click", () => {
    Object.assign(tensors[chosen], tensors[chosen].past.pop(), { sliding: false });
    draw();
    drawSliders();
  });
  $("remove").addEventListener("click", () => {
    tensors.splice(chosen, 1);
    chosen = Math.max(chosen - 1, 0);
    draw();
    drawSliders();
  });
  $("more").addEventListener("click", () => {
    const { offset, size, stride } = tensors[chosen].view;
    slide({ offset, size: [...size, 1], stride: [...stride, 1] });
    drawSliders();
  });
  $("fewer").addEventListener("click", () => {
    const { offset, size, stride } = tensors[chosen].view;
    slide({ offset, size: size.slice(0, -1), stride: stride.slice(0, -1) });
    drawSliders();
  });

  draw();
  drawSliders();
})();
