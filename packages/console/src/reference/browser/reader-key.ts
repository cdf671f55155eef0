/** A short-lived key of the reader's, in the memory of this page alone: the one that the playground would have. */
import { fillKey } from './code-places.ts'

export interface ReaderKey {
  readonly key: string
  /** Seconds since the epoch. */
  readonly expiresAt: number
  readonly team: string
}

/** A key that ends sooner than this is not used for a new request. */
const LEFT_MIN_MS = 120_000

interface Session {
  readonly user: object | null
  readonly teams: readonly { readonly id: string; readonly name: string }[]
  readonly gateway: { readonly brand: string }
}

let kept: ReaderKey | null = null

async function readSession(): Promise<Session> {
  const answer = await fetch('/api/console/session')
  if (!answer.ok) throw new Error('The gateway does not say who is signed in. Try again.')
  return (await answer.json()) as Session
}

/** The team that the console showed last, or the first. */
function teamOf({ teams }: Session): Session['teams'][number] | undefined {
  let last: string | null = null
  try {
    last = localStorage.getItem('svc-team')
  } catch {
    // A browser that keeps nothing has the first team.
  }
  return teams.find(({ id }) => id === last) ?? teams[0]
}

/**
 * A key to send requests with.
 *
 * @returns null for a reader who is not signed in.
 * @throws with what the gateway says where the reader may have none.
 */
export async function readerKey(): Promise<ReaderKey | null> {
  if (kept !== null && kept.expiresAt * 1_000 - Date.now() > LEFT_MIN_MS) return kept
  const session = await readSession()
  const team = teamOf(session)
  if (session.user === null || team === undefined) return null
  const answer = await fetch(`/api/console/teams/${team.id}/playground-key`, { method: 'POST' })
  const made = (await answer.json()) as { key?: string; expires_at?: number; error?: { message?: string } }
  if (made.key === undefined || made.expires_at === undefined) {
    throw new Error(made.error?.message ?? 'The gateway gave no key. Try again.')
  }
  kept = { key: made.key, expiresAt: made.expires_at, team: team.name }
  return kept
}

/** Where a reader signs in, and comes back from. */
export function signInLink(): HTMLAnchorElement {
  const link = document.createElement('a')
  link.href = `/console/sign-in?next=${encodeURIComponent(location.pathname + location.hash)}`
  link.textContent = 'Sign in'
  link.className = 'text-accent underline underline-offset-2'
  return link
}

async function showKey(said: Element, button: HTMLButtonElement): Promise<void> {
  try {
    const found = await readerKey()
    if (found === null) {
      said.replaceChildren(signInLink(), ' to have a key put into the code.')
      return
    }
    fillKey(found.key)
    const until = new Date(found.expiresAt * 1_000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    said.textContent = `A key of ${found.team} is in the code. It ends at ${until}.`
    button.textContent = 'Take it out'
    button.dataset['shown'] = 'yes'
  } catch (error) {
    said.textContent = error instanceof Error ? error.message : 'The gateway gave no key. Try again.'
  }
}

export function startKeyBar(): void {
  void readSession().then(
    ({ gateway }) => {
      for (const brand of document.querySelectorAll('[data-brand]')) brand.textContent = gateway.brand
    },
    () => undefined,
  )
  for (const bar of document.querySelectorAll('[data-key-bar]')) {
    const button = bar.querySelector<HTMLButtonElement>('[data-key-ask]')
    const said = bar.querySelector('[data-key-said]')
    if (button === null || said === null) continue
    button.addEventListener('click', () => {
      if (button.dataset['shown'] === undefined) void showKey(said, button)
      else {
        fillKey(null)
        delete button.dataset['shown']
        button.textContent = 'Use a key of mine'
        said.textContent = 'The code has its place again.'
      }
    })
  }
}
