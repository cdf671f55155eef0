import { Search } from 'lucide-react'
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { lazyPart } from '../ui/lazy-part.ts'
import { keyboardHelp, openKeyboardHelp } from './keyboard-help-state.ts'

const load = () => import('./palette.tsx')
const Palette = lazyPart(async () => (await load()).Palette)

const isApple = /mac|iphone|ipad/i.test(navigator.userAgent)

const KeyboardHelp = lazyPart(async () => (await import('./keyboard-help.tsx')).KeyboardHelp)

/** Whether a key types a text where the keyboard is now. */
function isTyping({ target }: Event): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
}

/** Opens the palette, as ⌘K and Ctrl-K do from anywhere, and by a question mark the list of shortcuts. */
export function FindButton() {
  const [isOpen, setOpen] = useState(false)
  const isHelpOpen = useSyncExternalStore(keyboardHelp.subscribe, keyboardHelp.isOpen)
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent): void => {
      const isPlain = !(event.metaKey || event.ctrlKey || event.altKey)
      if (event.key === '?' && isPlain && !isTyping(event)) openKeyboardHelp()
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      setOpen((wasOpen) => !wasOpen)
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
  const comeNear = (): void => void load().catch(() => undefined)
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        onPointerEnter={comeNear}
        onFocus={comeNear}
        aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}
        className="flex h-8 shrink-0 items-center gap-2 rounded px-2 text-soft hover:text-text md:border md:border-line
          md:bg-surface md:hover:border-line-strong"
      >
        <Search size={15} aria-hidden />
        <span className="sr-only md:not-sr-only">Find</span>
        <kbd aria-hidden className="hidden font-sans text-[12px] md:inline">
          {isApple ? '⌘K' : 'Ctrl K'}
        </kbd>
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      )}
      {isHelpOpen && (
        <Suspense fallback={null}>
          <KeyboardHelp onClose={keyboardHelp.close} />
        </Suspense>
      )}
    </>
  )
}
