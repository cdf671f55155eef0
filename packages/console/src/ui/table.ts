/** The look of tables. They scroll by themselves where the page is too narrow, with all that is in them. */
export const tableFrame = 'relative overflow-x-auto rounded-lg border border-line bg-surface'
export const table = 'w-full border-collapse text-left'
export const headCell = 'border-b border-line px-3 py-2 text-[12px] font-medium whitespace-nowrap text-soft'
export const cell = 'border-b border-line/70 px-3 py-2.5 align-middle'
/** A cell that gets the width that the others leave on a phone: its content is broken or cut, and nothing scrolls. */
export const restCell = `${cell} max-sm:w-full max-sm:max-w-0`
export const bodyRow = 'last:[&>td]:border-b-0 hover:bg-sunken/60'
export const right = 'text-right'
