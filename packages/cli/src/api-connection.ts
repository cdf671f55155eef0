/** The typed client of the contract, with what a terminal adds: a quick transport, and a word about retries. */
import { type Client, createClient, endpoints, type Retry } from '@svc/contract'
import type { GlobalOptions } from './global-options.ts'
import { withSpending } from './spending.ts'
import type { Settings } from './settings/settings.ts'
import type { Terminal } from './terminal/terminal.ts'
import { createTransport } from './transport/transport.ts'

export interface ApiConnection {
  readonly client: Client
  readonly endpoints: typeof endpoints
  readonly settings: Settings
}

/** @param options whether notes are left out, and what may be spent. */
export function connectApi(settings: Settings, terminal: Terminal, options: GlobalOptions): ApiConnection {
  const client = createClient({
    baseUrl: settings.baseUrl,
    ...(settings.key === null ? {} : { key: settings.key }),
    fetch: createTransport(terminal.environment),
    onRetry: (retry) => {
      if (terminal.isInteractive && options.quiet !== true)
        void terminal.notes.line(retryText(retry)).catch(() => undefined)
    },
  })
  const { createQuote } = endpoints
  return { client: withSpending(client, { terminal, options, createQuote }), endpoints, settings }
}

function retryText({ error, waitMs }: Retry): string {
  const seconds = Math.max(1, Math.round(waitMs / 1_000))
  return `${error.message} Trying again in ${seconds} s.`
}
