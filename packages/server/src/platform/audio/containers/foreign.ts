/** Containers that decoders open and no service of transcription promises: what they hold is not measured, but refused. */
import { notAccepted } from '../audio-length.ts'

const hex = (word: string): Buffer => Buffer.from(word, 'hex')
const text = (word: string): Buffer => Buffer.from(word, 'latin1')

/** Those that are known by how they begin. */
const BEGINNINGS: readonly (readonly [Buffer, string])[] = [
  [text('FLV\x01'), 'FLV'],
  [hex('3026b2758e66cf11'), 'ASF, WMA or WMV'],
  [text('.RMF'), 'RealMedia'],
  [text('.ra\xfd'), 'RealAudio'],
  [text('.REC'), 'RealMedia'],
  [text('nut/multimedia container'), 'NUT'],
  [text('NSVf'), 'NSV'],
  [text('NSVs'), 'NSV'],
  [hex('c0dec2'), 'Codec 2'],
  [hex('b7d800203749da11'), 'WTV'],
  [text('FWS'), 'SWF'],
  [text('CWS'), 'SWF'],
  [text('MMMD'), 'SMAF'],
  [text('DSM '), 'DSM'],
  [text('wvpk'), 'WavPack'],
  [text('TTA1'), 'True Audio'],
  [text('MAC '), "Monkey's Audio"],
  [text('MPCK'), 'Musepack'],
  [text('MP+'), 'Musepack'],
  [text('Creative Voice File'), 'VOC'],
  [text('DSD '), 'DSF'],
  [text('FRM8'), 'DSDIFF'],
  [text('OFR '), 'OptimFROG'],
  [text('tBaK'), 'TAK'],
  [text('ajkg'), 'Shorten'],
  [text('#!SILK'), 'SILK'],
  [text('\x02#!SILK'), 'SILK'],
]

/** Those that decoders find by words further behind, and prefer to a WAV. Source: the probes of ffmpeg's demuxers. */
const WORDS: readonly (readonly [Buffer, string])[] = [
  [hex('4e4d7a561f5f04ad'), 'NUT'],
  [hex('060e2b34020501010d0102'), 'MXF'],
]
/** Decoders have made up their mind behind it. */
const LOOKED_AT_BYTES = 65_536

const RIFFS: ReadonlySet<string> = new Set(['RIFF', 'RIFX', 'RF64', 'BW64'])

/** @throws {RefusedAudioError} for a file of a container that is not measured. */
export function refuseForeign(bytes: Buffer): void {
  const magic = bytes.toString('latin1', 0, 4)
  const form = bytes.toString('latin1', 8, 12)
  if (RIFFS.has(magic) && bytes.length >= 12 && form !== 'WAVE')
    throw notAccepted(`A file of the kind RIFF ${printable(form)}`)
  const beginning = BEGINNINGS.find(([word]) => bytes.subarray(0, word.length).equals(word))
  const looked = bytes.subarray(0, LOOKED_AT_BYTES)
  const found = beginning ?? WORDS.find(([word]) => looked.includes(word))
  if (found !== undefined) throw notAccepted(`A file of the kind ${found[1]}`)
  if (magic === 'RIFF' && isAct(bytes)) throw notAccepted('A file of the kind ACT')
}

/** A voice recorder's G.729 behind the header of a WAV. */
function isAct(bytes: Buffer): boolean {
  const isEmpty = (start: number, end: number): boolean => bytes.subarray(start, end).every((byte) => byte === 0)
  return bytes.length >= 512 && bytes[256] === 0x84 && isEmpty(44, 256) && isEmpty(264, 512)
}

function printable(form: string): string {
  return /^[\w ]{4}$/.test(form) ? form.trim() : 'of another form'
}
