// Escape, the other C0 controls but tab and line feed, delete, and C1: each of them can steer a terminal.
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Text that a terminal only shows: it cannot move the cursor, set a title, or write to the clipboard. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '')
}
