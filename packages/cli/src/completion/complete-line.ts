/** `svc __complete`: what the completion scripts ask for. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Context } from '../context.ts'
import { readProfiles } from '../settings/profile-file.ts'
import { resolveSettings } from '../settings/settings.ts'
import { completions, type Known } from './completions.ts'
import { knownModels } from './known-models.ts'

/** Prints the candidates for the last of the words, one a line. Never fails: a broken setting offers nothing. */
export async function completeLine(context: Context, root: CommandUnknownOpts, words: readonly string[]) {
  const { environment } = context.terminal
  const known: Known = {
    profiles: () => attempt(() => Object.keys(readProfiles(context.settingsFolder).profiles)) ?? [],
    models: async (options) => {
      const settings = attempt(() =>
        resolveSettings({ environment, file: readProfiles(context.settingsFolder), ...options }),
      )
      return settings === null ? [] : knownModels(context, settings, Date.now())
    },
  }
  const found = await completions(root, words, known)
  await context.terminal.out.text(found.map((word) => `${word}\n`).join(''))
}

function attempt<Result>(work: () => Result): Result | null {
  try {
    return work()
  } catch {
    return null
  }
}
