/** Composition root of the audit: `npm run audit`. Prints every invariant with its figures. Never imported. */
import { runAdminProcess } from './app/run-admin.ts'

await runAdminProcess(['audit', ...process.argv.slice(2)])
