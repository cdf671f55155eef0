/** Short notes at the edge of the page: what was done, what failed. */
import { ApiError } from '@svc/contract'
import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { useSyncExternalStore } from 'react'

interface Note {
  readonly id: number
  readonly kind: 'done' | 'failed' | 'news'
  readonly text: string
}

const DONE_MS = 4_000
/** For what is read at leisure, or is new. */
const FAILED_MS = 12_000

let notes: readonly Note[] = []
let lastId = 0
const listeners = new Set<() => void>()

function change(next: readonly Note[]): void {
  notes = next
  for (const listener of listeners) listener()
}

function dismiss(id: number): void {
  change(notes.filter((note) => note.id !== id))
}

function show(kind: Note['kind'], text: string): void {
  const id = ++lastId
  change([...notes.slice(-3), { id, kind, text }])
  setTimeout(() => dismiss(id), kind === 'done' ? DONE_MS : FAILED_MS)
}

/** What a failure says to a person, with the id that the operator can find it by. */
export function failureText(error: unknown): string {
  const text = error instanceof Error ? error.message : 'That did not work.'
  return error instanceof ApiError && error.status >= 500 && error.requestId !== null
    ? `${text} (request ${error.requestId})`
    : text
}

/** Takes away what was done: the person goes on to something that it could cover. */
export function dismissDone(): void {
  if (notes.some(({ kind }) => kind === 'done')) change(notes.filter(({ kind }) => kind !== 'done'))
}

export const toast = {
  /** Something that came without the person's doing. */
  news: (text: string): void => show('news', text),
  done: (text: string): void => show('done', text),
  failure: (error: unknown): void => show('failed', failureText(error)),
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => notes)
  return (
    <div
      role="log"
      aria-live="polite"
      aria-label="Notes"
      className="pointer-events-none fixed right-4 bottom-[calc(var(--bar)+1rem)] z-50
        flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2"
    >
      {shown.map(({ id, kind, text }) => (
        <div
          key={id}
          className={clsx(
            'pointer-events-auto flex items-start gap-2 rounded-lg border bg-raised p-3',
            'shadow-[0_8px_28px_rgb(0_0_0/0.16)]',
            kind === 'failed' ? 'border-danger' : 'border-line',
          )}
        >
          <p className="flex-1 break-words">{text}</p>
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
            className="-m-1.5 p-1.5 text-soft hover:text-text"
          >
            <X size={14} aria-hidden />
          </button>
        </div>
      ))}
    </div>
  )
}
