/**
 * MP4, M4A, MOV and 3GP, whole or in fragments. The samples are counted by the tables that decoders read them by; the
 * times in the tables decide only which parts of a track are played.
 *
 * Source: ISO/IEC 14496-12, sections 8.6 to 8.8.
 */
import { type Effort, noAudio } from '../audio-length.ts'
import { boxesIn, type Children, childrenOf, onlyBox, u32, u64 } from './mp4-boxes.ts'
import { readCodecs, readEdits, AudioTrack } from './mp4-track.ts'

/** Boxes that a file of this kind may begin with. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  'ftyp',
  'moov',
  'mdat',
  'free',
  'skip',
  'wide',
  'pnot',
  'styp',
  'sidx',
])
/** Boxes that hold no audio: images, texts, indexes and room. */
const METADATA: ReadonlySet<string> = new Set([
  ...['ftyp', 'moov', 'moof', 'free', 'skip', 'wide', 'uuid', 'meta', 'udta', 'styp', 'sidx', 'ssix', 'emsg', 'mfra'],
  ...['pdin', 'prft', 'pnot', 'PICT'],
])
/** The most bytes of a second where there are images, too: 100 Mbit/s, as cameras write. Source: own choice. */
const BYTES_PER_SECOND_IMAGES = 12_500_000

interface Track {
  readonly id: number
  /** One for each codec that the track has; empty where it is no audio. */
  readonly audioTracks: readonly AudioTrack[]
  /** Seconds of what is played; null where fragments follow. */
  readonly played: number | null
}

/** Seconds of the longest track of audio; null for any other file. */
export function measureMp4(bytes: Buffer, effort: Effort): number | null {
  if (bytes.length < 8 || !BEGINNINGS.has(bytes.toString('latin1', 4, 8))) return null
  const tracks: Track[] = []
  const defaults = new Map<number, number>()
  let metadata = 0
  for (const { type, at, content } of boxesIn(bytes, effort)) {
    if (METADATA.has(type)) metadata += content.length
    if (type === 'moov') readMovie(bytes, content, { tracks, defaults }, effort)
    if (type === 'moof') readFragment(at, content, { tracks, defaults }, effort)
  }
  const audioTracks = tracks.flatMap((track) => track.audioTracks)
  if (audioTracks.length === 0) throw noAudio()
  const seconds = tracks.flatMap(({ played, audioTracks: own }) => own.map((audio) => played ?? audio.seconds))
  const hasImages = tracks.some((track) => track.audioTracks.length === 0)
  const audioBytes = Math.max(...audioTracks.map((audio) => audio.audioBytes))
  const most = Math.max(...audioTracks.map((audio) => audio.bytesPerSecondMost))
  // Some decoders also play bytes that no table lists.
  const rest = Math.max(bytes.length - metadata - audioBytes, 0)
  const least = hasImages ? rest / BYTES_PER_SECOND_IMAGES : rest / most
  return Math.max(...seconds) + (least < 1 ? 0 : least)
}

interface Movie {
  readonly tracks: Track[]
  /** Bytes of a sample by the track's id, where a fragment does not say. */
  readonly defaults: Map<number, number>
}

function readMovie(bytes: Buffer, moov: Buffer, { tracks, defaults }: Movie, effort: Effort): void {
  const children = childrenOf(moov, effort)
  const header = children.get('mvhd')?.[0]
  const movie = header === undefined ? 1 : u32(header, header[0] === 1 ? 20 : 12) || 1
  const extends_ = children.get('mvex')?.[0]
  if (extends_ !== undefined) {
    for (const trex of childrenOf(extends_, effort).get('trex') ?? []) defaults.set(u32(trex, 4), u32(trex, 16))
  }
  for (const trak of children.get('trak') ?? []) {
    tracks.push(readTrack(bytes, childrenOf(trak, effort), { movie, isWhole: extends_ === undefined }, effort))
  }
}

function readTrack(
  bytes: Buffer,
  trak: Children,
  { movie, isWhole }: { readonly movie: number; readonly isWhole: boolean },
  effort: Effort,
): Track {
  const tkhd = onlyBox(trak, 'tkhd')
  const id = tkhd === null ? 0 : u32(tkhd, tkhd[0] === 1 ? 20 : 12)
  const media = childrenOf(onlyBox(trak, 'mdia') ?? Buffer.alloc(0), effort)
  if (media.get('hdlr')?.[0]?.toString('latin1', 8, 12) !== 'soun') return { id, audioTracks: [], played: null }
  const header = onlyBox(media, 'mdhd')
  const scale = header === null ? 1 : u32(header, header[0] === 1 ? 20 : 12) || 1
  const info = childrenOf(onlyBox(media, 'minf') ?? Buffer.alloc(0), effort)
  const stbl = childrenOf(onlyBox(info, 'stbl') ?? Buffer.alloc(0), effort)
  const codecs = readCodecs(onlyBox(stbl, 'stsd') ?? Buffer.alloc(0), effort)
  const audioTracks = codecs.map((codec) => new AudioTrack(bytes, codec, effort))
  const times = onlyBox(stbl, 'stts')
  const elst = onlyBox(childrenOf(onlyBox(trak, 'edts') ?? Buffer.alloc(0), effort), 'elst')
  const edits = readEdits(elst, { movie, track: scale })
  for (const audio of audioTracks) audio.table(stbl)
  const played =
    isWhole && audioTracks.length > 0 ? Math.max(...audioTracks.map((audio) => audio.played(edits, times))) : null
  return { id, audioTracks, played }
}

const BASE_OFFSET = 0x1
const DESCRIPTION = 0x2
const LENGTH = 0x8
const SIZE = 0x10
const DATA_OFFSET = 0x1
const FIRST_FLAGS = 0x4
const SAMPLE_LENGTH = 0x100
const SAMPLE_SIZE = 0x200
const SAMPLE_FLAGS = 0x400
const SAMPLE_TIME = 0x800
const DEFAULT_BASE_IS_MOOF = 0x2_0000

function readFragment(moofAt: number, moof: Buffer, { tracks, defaults }: Movie, effort: Effort): void {
  let implicit = moofAt
  for (const traf of childrenOf(moof, effort).get('traf') ?? []) {
    const children = childrenOf(traf, effort)
    const header = onlyBox(children, 'tfhd')
    if (header === null) continue
    const flags = u32(header, 0) & 0xff_ff_ff
    const id = u32(header, 4)
    let field = 8
    const next = (mask: number, width: number): number => {
      if ((flags & mask) === 0) return -1
      const value = width === 8 ? u64(header, field) : u32(header, field)
      field += width
      return value
    }
    const ownBase = next(BASE_OFFSET, 8)
    next(DESCRIPTION, 4)
    next(LENGTH, 4)
    const ownSize = next(SIZE, 4)
    const base = ownBase >= 0 ? ownBase : (flags & DEFAULT_BASE_IS_MOOF) !== 0 ? moofAt : implicit
    const size = ownSize >= 0 ? ownSize : (defaults.get(id) ?? 0)
    const audioTracks = tracks.filter((track) => track.id === id).flatMap((track) => track.audioTracks)
    implicit = base
    for (const run of children.get('trun') ?? [])
      implicit = readRun(run, { base, from: implicit, size }, audioTracks, effort)
  }
}

/** @returns where the run's last sample ends. */
function readRun(
  run: Buffer,
  { base, from, size }: { readonly base: number; readonly from: number; readonly size: number },
  audioTracks: readonly AudioTrack[],
  effort: Effort,
): number {
  const flags = u32(run, 0) & 0xff_ff_ff
  const has = (mask: number): number => ((flags & mask) === 0 ? 0 : 4)
  const each = has(SAMPLE_LENGTH) + has(SAMPLE_SIZE) + has(SAMPLE_FLAGS) + has(SAMPLE_TIME)
  const head = 8 + has(DATA_OFFSET) + has(FIRST_FLAGS)
  const room = Math.floor((run.length - head) / each)
  const count = each === 0 ? u32(run, 4) : Math.min(u32(run, 4), room)
  let at = has(DATA_OFFSET) === 0 || run.length < 12 ? from : base + run.readInt32BE(8)
  for (let sample = 0; sample < count; sample++) {
    effort.spend(1)
    const length = has(SAMPLE_SIZE) === 0 ? size : u32(run, head + sample * each + has(SAMPLE_LENGTH))
    for (const audio of audioTracks) audio.sample(at, length)
    at += length
  }
  return at
}
