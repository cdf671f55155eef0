/** The keys that a person has decided to believe, kept by their browser. */

const PLACE = 'svc.pinned-log-keys'

/** A line for each; empty for none, and where the browser keeps nothing. */
export function readPinnedKeys(): string {
  try {
    return localStorage.getItem(PLACE) ?? ''
  } catch {
    return ''
  }
}

export function keepPinnedKeys(text: string): void {
  try {
    localStorage.setItem(PLACE, text.trim())
  } catch {
    // What is not kept is typed again.
  }
}
