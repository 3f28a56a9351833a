// A table that has no room for its columns shows its rows as cards: no column is ever cut off.

/** Watches the room of `box` for the table in it. Call the answer when the rows have changed. */
export function fit_table(box: HTMLElement, table: HTMLTableElement, on_change: (stacked: boolean) => void = () => undefined): () => void {
  const fit = () => {
    table.classList.remove("stacked");
    const stacked = table.getBoundingClientRect().width > box.clientWidth + 0.5 || table.scrollWidth > box.clientWidth + 1;
    table.classList.toggle("stacked", stacked);
    on_change(stacked);
  };
  let width = -1;
  new ResizeObserver(() => {
    if (box.clientWidth === width) return;
    width = box.clientWidth;
    fit();
  }).observe(box);
  return fit;
}
