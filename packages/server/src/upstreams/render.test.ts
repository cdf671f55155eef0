import { describe, expect, test } from 'vitest'
import { readRender } from './render.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='
const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64')

describe('an image of an upstream', () => {
  test.each<[string, string, unknown, string]>([
    ['PNG', PNG, null, 'image/png'],
    ['JPEG', base64('\xff\xd8\xff\xe0..'), null, 'image/jpeg'],
    ['WebP', base64('RIFF\0\0\0\0WEBPVP8 '), null, 'image/webp'],
    ['GIF', base64('GIF89a..'), null, 'image/gif'],
    ['SVG', base64('<?xml version="1.0"?><svg/>'), null, 'image/svg+xml'],
    ['JPEG that is called PNG', base64('\xff\xd8\xff\xe0..'), 'image/png', 'image/jpeg'],
    ['SVG behind its maker', base64('<?xml version="1.0"?><!-- by hand --><svg/>'), 'image/png', 'image/svg+xml'],
    ['BMP', base64('BM\x36\0\0\0\0\0\0\0'), null, 'image/bmp'],
    ['HEIC', base64('\0\0\0\x18ftypheic'), null, 'image/heic'],
    ['an unknown form, as it is called', base64('FLIF\0\x01'), 'image/x-flif', 'image/x-flif'],
  ])('is recognised by its bytes: %s', (_name, text, declared, mediaType) => {
    expect(readRender(text, declared)).toEqual({ base64: text, mediaType })
  })

  test('may be in a data URL, in lines, or in the other alphabet', () => {
    expect(readRender(`data:image/png;base64,${PNG}`, null)).toEqual({ base64: PNG, mediaType: 'image/png' })
    expect(readRender(`${PNG.slice(0, 60)}\n${PNG.slice(60)}\n`, null)?.base64).toBe(PNG)
    const other = PNG.replaceAll('+', '-').replaceAll('/', '_')
    expect(readRender(other, null)).toEqual({ base64: PNG, mediaType: 'image/png' })
  })

  // B094: a page that is wrapped up as an image was charged as one.
  test.each([
    ...['<!DOCTYPE html><p>Sorry', '\n <html>', '{"error":"busy"}', '{\n  "error": 1}', '\xef\xbb\xbf{"error":1}'],
    ...['["busy"]', '"not ready"', 'Internal Server Error', 'x', 'RIFF of sound', '<?xml version="1.0"?><Error/>'],
    ...['something', '%PDF-1.7\0', '\xff\xfe{\0"\0'],
  ])('is no text and no other file: %s', (page) => {
    for (const type of ['image/png', null, 'text/html']) expect(readRender(base64(page), type)).toBeNull()
  })

  test.each(['Internal Server Error', '"not ready"', 'not ready', 'notready'])(
    'is no text in its place: %s',
    (text) => {
      expect(readRender(text, 'image/png')).toBeNull()
    },
  )

  test.each([null, undefined, 7, '', '!!!', 'a', '====', '{"error":"no"}', 'data:text/plain,hello', `${PNG}"`])(
    'is none: %s',
    (text) => {
      expect(readRender(text, 'image/png')).toBeNull()
    },
  )
})
