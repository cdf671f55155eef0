import { expect, test } from 'vitest'
import { imageFormats, outputFormat, speechFormats, videoFormats } from './output-format.ts'

const image = (output: string | undefined, format?: keyof typeof imageFormats) =>
  outputFormat(imageFormats, { output, format, usual: 'png' })
const audio = (output: string | undefined, format?: keyof typeof speechFormats) =>
  outputFormat(speechFormats, { output, format, usual: 'mp3' })

test.each([
  ['dog.jpg', 'jpeg'],
  ['dog.JPEG', 'jpeg'],
  ['a.b/dog.webp', 'webp'],
  ['dog.svg', 'svg'],
  ['dog', 'png'],
  ['dog-v1.2', 'png'],
  ['-', 'png'],
  [undefined, 'png'],
] as const)('an image named %s is made as %s', (name, format) => {
  expect(image(name)).toBe(format)
})

test('a form that is asked for holds where the name says none or the same', () => {
  expect([image('-', 'webp'), image(undefined, 'jpeg'), image('dog', 'webp')]).toEqual(['webp', 'jpeg', 'webp'])
  expect([image('dog.jpg', 'jpeg'), audio('a.ogg', 'opus'), audio('a.raw', 'pcm')]).toEqual(['jpeg', 'opus', 'pcm'])
})

test('a name that says another form, or one that is not made, is wrong usage', () => {
  expect(() => image('dog.jpg', 'png')).toThrow('dog.jpg does not look like png. Nothing was charged.')
  expect(() => image('dog.txt', 'png')).toThrow('dog.txt does not look like png.')
  expect(() => image('dog.gif')).toThrow('Nothing is made in the form that .gif says.')
  expect(() => audio('a.m4a')).toThrow(expect.objectContaining({ exitCode: 2 }))
  expect(() => outputFormat(videoFormats, { output: 'a.webm', format: undefined, usual: 'mp4' })).toThrow(
    expect.objectContaining({ advice: 'Give a name that ends in .mp4.' }),
  )
})
