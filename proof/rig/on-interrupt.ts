/** What a proof removes where it is interrupted: processes, folders, databases. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** Exit code of a program that was interrupted. */
const INTERRUPTED = 130

type Removal = () => Promise<unknown>

const removals: Removal[] = []

async function removeAll(): Promise<void> {
  // Whatever still runs fails now, and is not asked for any more.
  process.on('uncaughtException', () => undefined)
  process.on('unhandledRejection', () => undefined)
  // What was made last may need what was made before it.
  for (const remove of removals.toReversed()) await remove().catch(() => undefined)
  process.exit(INTERRUPTED)
}

function interrupt(): void {
  void removeAll()
}

/** Has something removed where this process is interrupted. @returns a function that forgets it. */
export function onInterrupt(removal: Removal): () => void {
  if (removals.length === 0) for (const signal of SIGNALS) process.once(signal, interrupt)
  removals.push(removal)
  return () => {
    removals.splice(removals.indexOf(removal), 1)
    if (removals.length === 0) for (const signal of SIGNALS) process.off(signal, interrupt)
  }
}
