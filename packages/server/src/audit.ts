/** Composition root of the audit: `npm run audit`. Prints every invariant with its figures. Never imported. */
import { prepareProcess } from './app/prepare-process.ts'

prepareProcess(process.env, 'uses')
const { runAdminProcess } = await import('./app/run-admin.ts')
await runAdminProcess(['audit', ...process.argv.slice(2)])
