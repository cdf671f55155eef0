/** The operator commands as a process: the configuration, a terminal, and the exit code. */
import { scrubSecrets } from '@svc/contract'
import { createInterface } from 'node:readline/promises'
import { loadOperatorConfig } from '../config/load-operator-config.ts'
import type { StorePlace } from '../config/store-address.ts'
import { runAdmin } from '../operations/commands/admin-program.ts'
import { writeLine } from '../platform/runtime/write-line.ts'
import { describeStartFailure } from './describe-start-failure.ts'
import { migrateConfigured } from './migrate-configured.ts'
import { openAdmin } from './open-admin.ts'

/**
 * Runs one command line as this process: answers on standard output, complaints on standard error, and the exit
 * code.
 */
export async function runAdminProcess(words: readonly string[]): Promise<void> {
  const printError = (text: string): void => writeLine(process.stderr, scrubSecrets(text))
  let place: StorePlace = { databaseUrl: null, dataDir: '' }
  try {
    process.exitCode = await runAdmin(
      {
        open: () => {
          const config = loadOperatorConfig({ env: process.env, workingDir: process.cwd() })
          place = config
          return openAdmin(config)
        },
        migrate: (isDryRun) => {
          const config = loadOperatorConfig({ env: process.env, workingDir: process.cwd() })
          place = config
          return migrateConfigured(config, { isDryRun, onWaiting: printError })
        },
        print: (text) => writeLine(process.stdout, text),
        printError,
        ask: process.stdin.isTTY ? askPerson : null,
      },
      words,
    )
  } catch (error) {
    const expected = describeStartFailure(error, { host: '', ...place })
    const message = error instanceof Error && error.message !== '' ? error.message : String(error)
    printError(`error: ${expected ?? message}`)
    process.exitCode = 1
  }
}

async function askPerson(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}
