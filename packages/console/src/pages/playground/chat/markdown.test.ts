import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Markdown } from './markdown.tsx'

const htmlOf = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }))

/** What an answer may become: its own elements, and those of the button that copies code. */
const KNOWN =
  /^(?:p|a|code|pre|div|span|button|svg|path|rect|table|thead|tbody|tr|th|td|ul|ol|li|blockquote|hr|em|strong|del)$/

// Case B184: model output is never HTML, and leads nowhere but to pages.
test.each([
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '<svg/onload=alert(1)>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java&#115;cript:alert(1))',
  '[x](\u0001javascript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '[x](vbscript:msgbox(1))',
  '[x](//evil.example/a)',
  '[x](/console/keys)',
  '<javascript:alert(1)>',
  '![x](javascript:alert(1))',
  '![x](https://evil.example/seen.png)',
  '![x](data:image/svg+xml,<svg onload=alert(1)>)',
  '[x]: javascript:alert(1)\n\n[x]',
  '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
  '```html\n<img src=x onerror=alert(1)>\n```',
  '- [x] <b onclick="alert(1)">tick</b>',
  '[x](https://a.example/" onmouseover="alert(1))',
])('%j is inert', (text) => {
  const html = htmlOf(text)
  for (const [, tag = ''] of html.matchAll(/<\/?([a-z0-9]+)/gi)) expect(tag).toMatch(KNOWN)
  for (const [, attributes = ''] of html.matchAll(/<[a-z0-9]+((?:\s+[^\s=>]+="[^"]*")*)/gi)) {
    expect(attributes.replaceAll(/"[^"]*"/g, '')).not.toMatch(/\son\w+=|src=|style=/i)
  }
  for (const [, address = ''] of html.matchAll(/href="([^"]*)"/g)) expect(address).toMatch(/^https?:\/\//)
  const links = html.match(/<a /g)?.length ?? 0
  expect(html.match(/rel="noopener noreferrer nofollow"/g)?.length ?? 0).toBe(links)
})

test('what is meant as HTML is shown as it was written', () => {
  expect(htmlOf('a <b>bold</b> word')).toContain('a &lt;b&gt;bold&lt;/b&gt; word')
})

test('headings of an answer are none of the page', () => {
  expect(htmlOf('# One\n\n###### Six')).not.toMatch(/<h\d/)
})

test.each(['>', '[', '*', '- ', '|', '`', '<', '![]('])('%j without end breaks nothing', (piece) => {
  expect(htmlOf(piece.repeat(2_000)).length).toBeGreaterThan(0)
})
