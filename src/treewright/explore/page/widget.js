// The explorer as an output of a notebook: anywidget calls `render`, and what is selected goes back to Python.
import { start, unpacked } from "./main.js";
import { cell } from "./words.js";

export async function render({ model, el }) {
  const root = el.ownerDocument.createElement("div");
  root.className = "tw inside";
  el.append(root);
  let explorer = null;
  const changed = ({ selected, row, leaves }) => {
    model.set("selected_node", selected);
    model.set("leaves", leaves);
    model.set("row", row === null ? null : Object.fromEntries(explorer.tools.used.map((j) => [explorer.model.doc.program.columns[j][0], cellValue(explorer.model.columns[j], row[j])])));
    model.save_changes();
  };
  explorer = start(root, await unpacked(model.get("document")), { changed });
  model.on("change:selected_node", () => {
    const id = model.get("selected_node");
    if (id !== explorer.app.store.state.selected && id < explorer.model.n) explorer.app.select(id);
  });
}

function cellValue(column, x) {
  return x === null || x === undefined ? null : column.levels ? cell(column, x) : x;
}
