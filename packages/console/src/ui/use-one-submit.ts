import { useRef } from 'react'
import { newId } from '../api/new-id.ts'

/** The same that is asked for so soon again is asked for once: a second click. In milliseconds. */
const SAME_MS = 400

/**
 * For forms whose requests may run side by side.
 *
 * @returns what to call on each submit with what is asked for: it gives the name of the request, which was made with
 *   the form, or null where the submit is a repetition.
 */
export function useOneSubmit(): (content: string) => string | null {
  const last = useRef({ name: '', content: '', at: -Infinity })
  if (last.current.name === '') last.current.name = newId()
  return (content) => {
    const now = performance.now()
    const isSame = content === last.current.content && now - last.current.at < SAME_MS
    last.current.at = now
    if (isSame) return null
    const { name } = last.current
    last.current = { name: newId(), content, at: now }
    return name
  }
}
