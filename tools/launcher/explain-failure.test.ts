import { expect, test } from 'vitest'
import { explainFailure } from './explain-failure.mjs'

test.each([
  ['npm error code EACCES\nnpm error syscall mkdir', 'no permission'],
  ['npm ERR! code EAI_AGAIN', 'could not be reached'],
  ['npm error code ENOSPC', 'disk is full'],
  ['npm error code EUSAGE\nnpm error `npm ci` can only install packages when', 'disagree'],
  ['npm error code ETARGET', 'lacks a package version'],
  ['npm error code EODD\nnpm error syscall rmdir\nnpm error Something odd happened', 'Something odd happened'],
  ['', 'npm gave no reason'],
])('%j is explained in one line', (output, reason) => {
  const line = explainFailure('Node 24', output)
  expect(line).toContain(reason)
  expect(line).not.toContain('\n')
})
