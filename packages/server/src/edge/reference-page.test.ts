import { readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { REFERENCE_PATH, referenceAssets, referencePage, referencePolicy } from './reference-page.ts'

describe('the reference page', () => {
  const page = referencePage('abc')

  test('names no other host', () => {
    expect(page).not.toMatch(/(?:https?:)?\/\/[a-z]/)
    expect(referencePolicy('abc')).not.toMatch(/https?:|\*/)
  })

  test('loads only files that are served', () => {
    const paths = [...page.matchAll(/(?:src|href)="(\/docs[^"]*)"/g)].map(([, path]) => path)
    const served = [...referenceAssets().keys()].map((name) => `${REFERENCE_PATH}/${name}`)
    expect(new Set(paths)).toEqual(new Set(served))
  })

  test('marks every inline script and style with the nonce', () => {
    const inline = [...page.matchAll(/<(?:script|style)(?![^>]*src=)[^>]*>/g)].map(([tag]) => tag)
    expect(inline.length).toBeGreaterThan(1)
    for (const tag of inline) expect(tag).toContain('nonce="abc"')
    expect(referencePolicy('abc')).toContain("script-src 'self' 'nonce-abc'")
  })

  test('has its files installed', () => {
    for (const { file } of referenceAssets().values()) expect(statSync(file).size).toBeGreaterThan(10_000)
  })

  test('has styles that load no other file', () => {
    const styles = readFileSync(referenceAssets().get('swagger-ui.css')?.file ?? '', 'utf8')
    const loaded = [...styles.matchAll(/url\(["']?([^)"']*)/g)].map(([, url]) => url ?? '')
    expect(loaded.filter((url) => !url.startsWith('data:'))).toEqual([])
    expect(styles).not.toContain('@import')
  })
})
