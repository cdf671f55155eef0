/** Whether the list of shortcuts is open. It is opened by a key, and from the palette, which is closed by then. */
let isOpen = false
const listeners = new Set<() => void>()

function change(next: boolean): void {
  isOpen = next
  for (const listener of listeners) listener()
}

export const openKeyboardHelp = (): void => change(true)

export const keyboardHelp = {
  close: (): void => change(false),
  isOpen: (): boolean => isOpen,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
