#!/usr/bin/env node
/** The program `svc`: everything else is loaded from here. */
import { enableCompileCache } from 'node:module'
import { isBundled } from './version.ts'

// Of the sources there are many files, and this saves half of the start. The bundle is one file, which is read already.
if (!isBundled) {
  enableCompileCache()
  // npm runs the script in the folder of the repository; names of files are relative to the user's folder.
  const { INIT_CWD: folder, npm_lifecycle_event: script } = process.env
  if (script === 'svc' && folder !== undefined) process.chdir(folder)
}
void import('./run-process.ts').then(({ runProcess }) => runProcess(process))
