import { Dialog } from '../ui/dialog.tsx'

const SHORTCUTS = [
  { keys: '⌘K or Ctrl K', does: 'Find a page, key, model or request, or do something' },
  { keys: '↑ ↓, Enter', does: 'Choose in a list, and open it' },
  { keys: 'Tab, Shift Tab', does: 'Go on, and back' },
  { keys: 'Esc', does: 'Close what is above the page' },
  { keys: '?', does: 'Show this list' },
] as const

export function KeyboardHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-3">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded border border-line bg-sunken px-1.5 py-0.5 font-sans text-[12px]">{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
