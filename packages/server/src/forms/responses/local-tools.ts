/**
 * Tools of the Responses form that a client runs and names by a type alone, and the items of their calls. Pure. Source:
 * OpenAI's API reference, local shell, shell, apply patch and computer use; decision 0168.
 */
import { ownMember } from '@svc/contract'
import { type ClientTool, type Fields, list, object, oneOf, text, texts, whole } from '../client-tool.ts'
import { recordOf, recordsOf } from '../translated-chat.ts'

const KINDS = ['local_shell', 'shell', 'apply_patch', 'computer', 'computer_use_preview'] as const
export type LocalKind = (typeof KINDS)[number]

const wait = { timeout_ms: whole('Milliseconds that it may take.') }

const shellAction = object(
  { command: texts('The program and its arguments.'), ...wait, working_directory: text('The folder to run it in.') },
  ['command'],
)

const shellActions = object(
  {
    commands: texts('Lines for the shell.'),
    ...{ ...wait, max_output_length: whole('Characters of output that are wanted at most.') },
  },
  ['commands'],
)

const V4A =
  'The change as a V4A diff, without lines around it: sections begin with @@, lines with a blank, + or -. A new file ' +
  'has + lines alone.'

const operation = object(
  {
    type: oneOf('What to do.', ['create_file', 'update_file', 'delete_file']),
    ...{ path: text('The file.'), diff: text(V4A) },
  },
  ['type', 'path'],
)

const MOVES = ['click', 'double_click', 'drag', 'keypress', 'move', 'screenshot', 'scroll', 'type', 'wait']
const point = { x: whole('Pixels from the left.'), y: whole('Pixels from the top.') }

const move = object(
  {
    ...{ type: oneOf('What to do.', MOVES), ...point },
    button: oneOf('With click.', ['left', 'right', 'wheel', 'back', 'forward']),
    keys: texts('With keypress: the keys, such as CTRL and S.'),
    path: list('With drag: the places on the way.', object(point, ['x', 'y'])),
    ...{ scroll_x: whole('With scroll: pixels to the right.'), scroll_y: whole('With scroll: pixels down.') },
    text: text('With type.'),
  },
  ['type'],
)

const SCREEN = 'Uses the screen, the mouse and the keyboard of a computer, and returns a screenshot.'

const tools: Readonly<Record<LocalKind, ClientTool>> = {
  local_shell: {
    description: 'Runs a command on the computer of the user, and returns what it prints.',
    parameters: object({ action: shellAction }, ['action']),
  },
  shell: {
    description: 'Runs commands in a shell on the computer of the user, and returns what each prints.',
    parameters: object({ action: shellActions }, ['action']),
  },
  apply_patch: {
    description: 'Creates, changes or deletes one file of the user.',
    parameters: object({ operation }, ['operation']),
  },
  computer: {
    description: SCREEN,
    parameters: object({ actions: list('What to do, one after the other.', move) }, ['actions']),
  },
  computer_use_preview: { description: SCREEN, parameters: object({ action: move }, ['action']) },
}

/** The kind of a tool; null for one that its provider runs, or that says itself what it takes. */
export function localKindOf({ type, environment }: Fields): LocalKind | null {
  const kind = KINDS.find((each) => each === type) ?? null
  // Of a shell it says whose computer it is; of a computer what system it has.
  return kind === 'shell' && (recordOf(environment)['type'] ?? 'local') !== 'local' ? null : kind
}

/** What such a tool is called in a chat, and in the types of its items. */
export function localName(kind: LocalKind): string {
  return kind === 'computer_use_preview' ? 'computer' : kind
}

/** What such a tool takes. @param tool as the request has it. */
export function localTool(kind: LocalKind, tool: Fields): ClientTool {
  const { display_width: width, display_height: height } = tool
  const known = tools[kind]
  if (typeof width !== 'number' || typeof height !== 'number') return known
  return { ...known, description: `${known.description} The screen has ${width} × ${height} pixels.` }
}

/** A member of a call. A model may leave out the member, and say what is in it. */
function within(said: Fields, name: string): Fields {
  return name in said ? recordOf(said[name]) : said
}

/** A list that a model may write as one text. */
const listOf = (value: unknown, one: (text: string) => readonly string[]): unknown =>
  typeof value === 'string' ? one(value) : value

const MOVE_MEMBERS: Readonly<Record<string, Fields>> = {
  click: { button: 'left' },
  double_click: { keys: null },
  scroll: { scroll_x: 0, scroll_y: 0 },
}

function movesIn(said: Fields): readonly Fields[] {
  const listed = recordsOf(said['actions'])
  const moves = listed.length > 0 ? listed : [within(said, 'action')]
  return moves.map((each) => ({ type: 'screenshot', ...ownMember(MOVE_MEMBERS, each['type']), ...each }))
}

/** Members of a call that its client reads, where a model may have left them out. */
const calls: Readonly<Record<LocalKind, (said: Fields) => Fields>> = {
  local_shell: (said) => {
    const action = within(said, 'action')
    const command = listOf(action['command'] ?? [], (line) => ['bash', '-lc', line])
    return { action: { type: 'exec', env: {}, ...action, command } }
  },
  shell: (said) => {
    const action = within(said, 'action')
    const commands = listOf(action['commands'] ?? [], (line) => [line])
    return {
      action: { timeout_ms: null, max_output_length: null, ...action, commands },
      environment: { type: 'local' },
    }
  },
  apply_patch: (said) => ({ operation: { type: 'update_file', path: '', diff: '', ...within(said, 'operation') } }),
  computer: (said) => ({ actions: movesIn(said), pending_safety_checks: [] }),
  computer_use_preview: (said) => ({ action: movesIn(said)[0], pending_safety_checks: [] }),
}

/** What the item of a call says of it. @param said the arguments of the function. */
export function localCall(kind: LocalKind, said: Fields): Fields {
  return calls[kind](said)
}
