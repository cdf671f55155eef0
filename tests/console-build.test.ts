import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import { keepLastBuild } from '../packages/console/keep-last-build.ts'

// A gateway that runs, and pages that are open, load the files of the build before.
test('a build keeps the files of the one before it, and those of no earlier one', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'svc-builds-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
  }
  write('index.html', '<!doctype html><script type="module" src="/main.ts"></script>')
  write('public/assets/icon.svg', '<svg/>')
  const scripts = (): string[] => readdirSync(path.join(root, 'dist/assets')).filter((name) => name.endsWith('.js'))
  const buildOnce = async (version: string): Promise<string> => {
    const before = new Set(scripts())
    write('main.ts', `console.log('${version}')`)
    await build({ root, configFile: false, logLevel: 'silent', plugins: [keepLastBuild()] })
    const [made = ''] = scripts().filter((name) => !before.has(name))
    write(`dist/assets/${made}.br`, 'compressed')
    return made
  }
  mkdirSync(path.join(root, 'dist/assets'), { recursive: true })
  const first = await buildOnce('one')
  const second = await buildOnce('two')
  expect(scripts()).toEqual([first, second].toSorted())
  const third = await buildOnce('three')
  expect(readdirSync(path.join(root, 'dist/assets'))).toEqual(
    ['icon.svg', second, `${second}.br`, third, `${third}.br`].toSorted(),
  )
})
