import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError } from './config-error.ts'
import { loadConfig } from './load-config.ts'
import { loadOperatorConfig } from './load-operator-config.ts'

let workingDir = ''
beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'svc-folder-'))
})
afterEach(() => rmSync(workingDir, { recursive: true }))

const real = { SVC_UPSTREAM: 'openai-compatible', SVC_UPSTREAM_URL: 'http://127.0.0.1:8080/v1' }
const use = (folder: string): void => {
  mkdirSync(join(workingDir, folder))
  writeFileSync(join(workingDir, folder, 'svc.db'), '')
}

describe('without SVC_DATA_DIR', () => {
  test('a sandbox and a gateway with a real upstream have a folder each', () => {
    expect(loadConfig({ env: {}, workingDir }).config.dataDir).toBe(join(workingDir, '.svc'))
    expect(loadConfig({ env: real, workingDir }).config.dataDir).toBe(join(workingDir, '.svc-live'))
  })

  test('a command without an upstream takes the folder that was used, and of two asks which', () => {
    const folderOf = (env: Record<string, string>) => loadOperatorConfig({ env, workingDir }).dataDir
    expect(folderOf({})).toBe(join(workingDir, '.svc'))
    use('.svc-live')
    expect(folderOf({})).toBe(join(workingDir, '.svc-live'))
    use('.svc')
    expect(() => folderOf({})).toThrow(ConfigError)
    expect(folderOf({ SVC_DATA_DIR: '.svc' })).toBe(join(workingDir, '.svc'))
    expect(folderOf(real)).toBe(join(workingDir, '.svc-live'))
  })
})
