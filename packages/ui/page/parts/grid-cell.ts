/** A cell of a row that is used again, of these classes. */
export function gridCell(look: string): HTMLElement {
  const cell = document.createElement('span');
  cell.setAttribute('role', 'gridcell');
  cell.className = look;
  return cell;
}
