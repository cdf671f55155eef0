/** What every command gets: the terminal, the settings, and a way to the gateway. */
import type { ApiConnection } from './api-connection.ts'
import { CommandError } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'
import type { GlobalOptions } from './global-options.ts'
import { readProfiles, settingsFolder } from './settings/profile-file.ts'
import { resolveSettings, type Settings } from './settings/settings.ts'
import type { Terminal } from './terminal/terminal.ts'

export interface Context {
  readonly terminal: Terminal
  readonly options: GlobalOptions
  readonly settingsFolder: string
  /** @throws {CommandError} when they cannot be read or are wrong. */
  readonly settings: () => Settings
  /** Connects without a key, for what is public. */
  readonly publicApi: () => Promise<ApiConnection>
  /** @throws {CommandError} when no profile is signed in. */
  readonly api: () => Promise<ApiConnection>
}

export function createContext(terminal: Terminal, options: GlobalOptions): Context {
  const folder = settingsFolder(terminal.environment)
  const settings = (): Settings =>
    resolveSettings({
      environment: terminal.environment,
      file: readProfiles(folder),
      profile: options.profile,
      baseUrl: options.baseUrl,
    })
  const connect = async (chosen: Settings): Promise<ApiConnection> => {
    const { connectApi } = await import('./api-connection.ts')
    return connectApi(chosen, terminal, options)
  }
  return {
    terminal,
    options,
    settingsFolder: folder,
    settings,
    publicApi: () => connect(settings()),
    api: async () => {
      const chosen = settings()
      if (chosen.key === null) throw notSignedIn(chosen)
      return connect(chosen)
    },
  }
}

function notSignedIn({ baseUrl }: Settings): CommandError {
  return new CommandError(`You are not signed in to ${baseUrl}.`, {
    advice: 'Sign in with `svc login`, or set SVC_API_KEY.',
    exitCode: exitCodes.notSignedIn,
  })
}
