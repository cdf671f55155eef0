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
    ['an unknown form, as it is called', base64('something'), 'image/heic', 'image/heic'],
    ['an unknown form that is called no image', base64('something'), 'text/html', 'image/png'],
  ])('is recognised by its bytes: %s', (_name, text, declared, mediaType) => {
    expect(readRender(text, declared)).toEqual({ base64: text, mediaType })
  })

  test('may be in a data URL, in lines, or in the other alphabet', () => {
    expect(readRender(`data:image/png;base64,${PNG}`, null)).toEqual({ base64: PNG, mediaType: 'image/png' })
    expect(readRender(`${PNG.slice(0, 60)}\n${PNG.slice(60)}\n`, null)?.base64).toBe(PNG)
    expect(readRender('-_-_', null)?.base64).toBe('+/+/')
  })

  // B094: a page that is wrapped up as an image was charged as one.
  test.each(['<!DOCTYPE html><p>Sorry', '\n <html>', '{"error":"busy"}', '{\n  "error": 1}'])(
    'is no page: %s',
    (page) => {
      expect(readRender(base64(page), 'image/png')).toBeNull()
    },
  )

  test.each([null, undefined, 7, '', '!!!', 'a', '====', '{"error":"no"}', 'data:text/plain,hello', `${PNG}"`])(
    'is none: %s',
    (text) => {
      expect(readRender(text, 'image/png')).toBeNull()
    },
  )
})
