"use strict";
// Hover text of curves: one for all that are at the pointer.

// The point of a curve nearest to the pointer, in pixels: of a line, the nearer end of its nearest stretch.
const nearest = ({ x, y }, line, scales, at) => {
  const place = (i) => [scales.x.compute(x[i]) - at[0], scales.y.compute(y[i]) - at[1]];
  let best = { distance: Infinity };
  let last = null;
  for (let i = 0; i < x.length; i++) {
    const here = place(i);
    const [dx, dy] = line && last ? [here[0] - last[0], here[1] - last[1]] : [0, 0];
    const along = dx || dy ? Math.min(1, Math.max(0, (here[0] * dx + here[1] * dy) / (dx * dx + dy * dy))) : 0;
    const distance = Math.hypot(here[0] - along * dx, here[1] - along * dy);
    if (distance < best.distance) best = { distance, index: along > 0.5 ? i - 1 : i };
    last = here;
  }
  return best;
};

const REACH = 12; // pixels
const MOST = 6; // curves in one text

// What the curves at the pointer are worth there.
const readings = (id, view, event) => {
  const box = view.el.getBoundingClientRect();
  const at = [event.clientX - box.left, event.clientY - box.top];
  const scales = { x: view.frame.x_scale, y: view.frame.y_scale };
  const found = [];
  for (const button of document.querySelectorAll(`button[data-plot="${id}"][aria-pressed=true]`)) {
    const swatch = button.querySelector(".swatch");
    const curve = Number(button.dataset.curve);
    const { glyph, data_source } = view.model.renderers.find((r) => r.tags.includes(curve) && r.glyph.type !== "VArea");
    const { distance, index } = nearest(data_source.data, glyph.type === "Line", scales, at);
    const value = { swatch, label: button.textContent, x: data_source.data.x[index], y: data_source.data.y[index] };
    if (distance <= REACH && !swatch.matches(".reference")) found.push({ distance, ...value });
  }
  return found.sort((one, other) => one.distance - other.distance).slice(0, MOST);
};

const readout = document.createElement("div");
readout.className = "readout";
readout.hidden = true;
document.body.append(readout);

const row = (kind, cells) => {
  const made = document.createElement("tr");
  for (const cell of cells) made.appendChild(document.createElement(kind)).append(cell);
  return made;
};

const show = (target, found, event) => {
  const table = document.createElement("table");
  table.append(row("th", ["", target.dataset.x, target.dataset.y]));
  for (const { swatch, label, x, y } of found) {
    const name = document.createElement("span");
    name.append(swatch.cloneNode(), label);
    table.append(row("td", [name, String(Number(x.toPrecision(5))), String(Number(y.toPrecision(5)))]));
  }
  readout.replaceChildren(table);
  readout.hidden = found.length === 0;
  const right = event.clientX + 14 + readout.offsetWidth > innerWidth;
  readout.style.left = `${Math.max(4, right ? event.clientX - 14 - readout.offsetWidth : event.clientX + 14)}px`;
  const low = event.clientY + 14 + readout.offsetHeight > innerHeight;
  readout.style.top = `${low ? event.clientY - 14 - readout.offsetHeight : event.clientY + 14}px`;
};

const followPointer = (target, view) => {
  target.addEventListener("pointermove", (event) => show(target, readings(target.id, view, event), event));
  target.addEventListener("pointerleave", () => (readout.hidden = true));
};
