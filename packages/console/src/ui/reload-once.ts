/** Loading the page anew where a part of it is gone, and never in a circle. */
const STORAGE_KEY = 'svc-reloaded'

/** This build of the pages, and what was missing: the next build may try for itself. */
function nameOf(error: unknown): string {
  return `${import.meta.url} ${error instanceof Error ? error.message : ''}`
}

/** Whether the page was loaded anew for the same already; a browser that keeps nothing says yes. */
export function isReloadedFor(error: unknown): boolean {
  try {
    return sessionStorage.getItem(STORAGE_KEY) === nameOf(error)
  } catch {
    return true
  }
}

export function reloadFor(error: unknown): void {
  sessionStorage.setItem(STORAGE_KEY, nameOf(error))
  location.reload()
}
