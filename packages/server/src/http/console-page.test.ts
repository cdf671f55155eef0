import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createConsolePage } from './console-page.ts'

const file = new URL('../../../console/src/index.html', import.meta.url)

test('the policy names the hash of each inline script and style', () => {
  const { policy } = createConsolePage('<style>a</style><script>b</script>')
  expect(policy).toContain("style-src 'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='")
  expect(policy).toContain("script-src 'sha256-PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0='")
})

test('the page loads nothing from another host, and all its code is covered', () => {
  const { html, policy } = createConsolePage(readFileSync(file, 'utf8'))
  expect(html).not.toMatch(/(?:src|href)="(?!\/|data:)/)
  expect(html).not.toMatch(/\sstyle="|\son\w+="/)
  expect(policy.match(/sha256-/g)).toHaveLength(2)
})
