/** The typed client of the contract, with what a terminal adds: a quick transport, and a word about retries. */
import { type Client, createClient, endpoints, type Retry } from '@svc/contract'
import type { Settings } from './settings/settings.ts'
import type { Terminal } from './terminal/terminal.ts'
import { createTransport } from './transport/transport.ts'

export interface ApiConnection {
  readonly client: Client
  readonly endpoints: typeof endpoints
  readonly settings: Settings
}

/** @param isQuiet whether notes are left out. */
export function connectApi(settings: Settings, terminal: Terminal, isQuiet: boolean): ApiConnection {
  const client = createClient({
    baseUrl: settings.baseUrl,
    ...(settings.key === null ? {} : { key: settings.key }),
    fetch: createTransport(terminal.environment),
    onRetry: (retry) => {
      if (terminal.isInteractive && !isQuiet) void terminal.notes.line(retryText(retry)).catch(() => undefined)
    },
  })
  return { client, endpoints, settings }
}

function retryText({ error, waitMs }: Retry): string {
  const seconds = Math.max(1, Math.round(waitMs / 1_000))
  return `${error.message} Trying again in ${seconds} s.`
}
