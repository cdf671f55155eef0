/** The gateway's command line: nothing. Part of the composition. */
import { VERSION_TEXT } from '../platform/runtime/version.ts'
import { readOptions } from './read-options.ts'

/** Ends the process where it was given anything: settings of the gateway are no arguments. */
export function refuseArguments(): void {
  readOptions({
    name: 'npm start',
    does: 'Serves the API, the console and the reference.',
    options: {},
    version: VERSION_TEXT,
    more: 'Settings are environment variables, such as SVC_PORT=8080, and a file; docs/configuration.md has all.',
  })
}
