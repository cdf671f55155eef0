/**
 * Tools that clients run themselves and name by a type alone, since models of the API's maker know them. Any model is
 * told here what they take, so that it can call them as functions. Pure. Source: decision 0168.
 */
type Fields = Readonly<Record<string, unknown>>

/** What a function says of itself beside its name. */
export interface ClientTool {
  readonly description: string
  /** JSON schema. */
  readonly parameters: Fields
}

const text = (description: string): Fields => ({ type: 'string', description })
const whole = (description: string): Fields => ({ type: 'integer', description })
const oneOf = (description: string, values: readonly string[]): Fields => ({
  ...text(description),
  enum: values,
})
const place = (description: string): Fields => ({ type: 'array', items: { type: 'integer' }, description })
const texts = (description: string): Fields => ({ type: 'array', items: { type: 'string' }, description })

const object = (properties: Fields, required: readonly string[]): Fields => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
})

const EDITS = {
  path: text('The file or folder.'),
  file_text: text('With create: the whole content.'),
  old_str: text('With str_replace: the text to replace. It must be there exactly once, blanks included.'),
  insert_line: whole('With insert: the line behind which the text is put; 0 is the beginning.'),
  view_range: place('With view: the first and the last line, counted from 1; -1 is the end.'),
}

const WRITES = {
  new_str: text('With str_replace: what takes its place.'),
  insert_text: text('With insert: the text to put there.'),
}

/** Before 2025-04 one member held the new text of both commands. */
const EARLY_WRITES = { new_str: text('With str_replace: what takes its place. With insert: the text to put there.') }

const EARLY_EDITORS: ReadonlySet<string> = new Set(['text_editor_20241022', 'text_editor_20250124'])

function editor(type: string): ClientTool {
  const isEarly = EARLY_EDITORS.has(type)
  const commands = ['view', 'create', 'str_replace', 'insert', ...(isEarly ? ['undo_edit'] : [])]
  return {
    description: 'Views and edits files of the user: view a file or folder, create a file, replace or insert text.',
    parameters: object({ command: oneOf('What to do.', commands), ...EDITS, ...(isEarly ? EARLY_WRITES : WRITES) }, [
      'command',
      'path',
    ]),
  }
}

const bash = (): ClientTool => ({
  description:
    'Runs a command in a bash session of the user that stays open between calls, and returns what it prints.',
  parameters: object(
    { command: text('The command.'), restart: { type: 'boolean', description: 'Starts the session anew instead.' } },
    [],
  ),
})

const memory = (): ClientTool => ({
  description:
    'Files below /memories that outlive the conversation. Look there before you begin, and write down what matters later.',
  parameters: object(
    {
      command: oneOf('What to do.', ['view', 'create', 'str_replace', 'insert', 'delete', 'rename']),
      ...{ ...EDITS, ...WRITES },
      old_path: text('With rename: what it is called now.'),
      new_path: text('With rename: what it is to be called.'),
    },
    ['command'],
  ),
})

const ACTIONS = [
  ...['key', 'type', 'mouse_move', 'left_click', 'left_click_drag', 'right_click', 'middle_click', 'double_click'],
  ...['screenshot', 'cursor_position'],
]
const LATER_ACTIONS = ['left_mouse_down', 'left_mouse_up', 'scroll', 'hold_key', 'wait', 'triple_click']

function computer(type: string, { display_width_px: width, display_height_px: height }: Fields): ClientTool {
  const isEarly = type === 'computer_20241022'
  const zooms = type >= 'computer_20251124'
  const later = {
    start_coordinate: place('With left_click_drag: x and y of its beginning.'),
    scroll_direction: oneOf('With scroll: where to.', ['up', 'down', 'left', 'right']),
    scroll_amount: whole('With scroll: how far.'),
    duration: { type: 'number', description: 'With hold_key and wait: seconds.' },
  }
  const actions = [...ACTIONS, ...(isEarly ? [] : LATER_ACTIONS), ...(zooms ? ['zoom'] : [])]
  return {
    description: `Uses the screen, the mouse and the keyboard of a computer. The screen has ${String(width)} × ${String(height)} pixels. Take a screenshot to see what an action did.`,
    parameters: object(
      {
        action: oneOf('What to do.', actions),
        coordinate: place('x and y in pixels from the left and the top.'),
        text: text('With type: the text. With key: the keys, such as ctrl+s.'),
        ...(isEarly ? {} : later),
        ...(zooms ? { region: place('With zoom: left, top, right and bottom of what to see.') } : {}),
      },
      ['action'],
    ),
  }
}

/** By what their types begin with; a date follows. Source: Anthropic, tools that the client runs. */
const dated: readonly (readonly [type: RegExp, describe: (type: string, tool: Fields) => ClientTool])[] = [
  [/^bash_\d{8}$/, bash],
  [/^text_editor_\d{8}$/, editor],
  [/^memory_\d{8}$/, memory],
  [/^computer_\d{8}$/, computer],
]

/** A tool of the Messages form; null for one that the client does not run. */
export function messageTool(tool: Fields): ClientTool | null {
  const type = String(tool['type'])
  const found = dated.find(([pattern]) => pattern.test(type))
  return found === undefined ? null : found[1](type, tool)
}

/** Tools of the Responses form that a client runs: their types, and what the items of their calls are called. */
export type LocalKind = 'local_shell' | 'shell' | 'apply_patch'

const limits = { timeout_ms: whole('Milliseconds that it may take.') }

const locals: Readonly<Record<LocalKind, ClientTool>> = {
  local_shell: {
    description: 'Runs a command on the computer of the user, and returns what it prints.',
    parameters: object(
      {
        action: object(
          {
            command: texts('The program and its arguments.'),
            ...limits,
            working_directory: text('The folder to run it in.'),
          },
          ['command'],
        ),
      },
      ['action'],
    ),
  },
  shell: {
    description: 'Runs commands in a shell on the computer of the user, and returns what each prints.',
    parameters: object(
      {
        action: object(
          {
            commands: texts('Lines for the shell.'),
            ...limits,
            max_output_length: whole('Characters of output that are wanted at most.'),
          },
          ['commands'],
        ),
      },
      ['action'],
    ),
  },
  apply_patch: {
    description: 'Creates, changes or deletes one file of the user.',
    parameters: object(
      {
        operation: object(
          {
            type: oneOf('What to do.', ['create_file', 'update_file', 'delete_file']),
            path: text('The file.'),
            diff: text(
              'The change as a V4A diff, without lines around it: sections begin with @@, lines with a blank, + or -. A new file has + lines alone.',
            ),
          },
          ['type', 'path'],
        ),
      },
      ['operation'],
    ),
  },
}

/** The kind of a tool of the Responses form; null for one that its provider runs, or that says itself what it takes. */
export function localKindOf({ type, environment }: Fields): LocalKind | null {
  if (type === 'local_shell' || type === 'apply_patch') return type
  if (type !== 'shell') return null
  const where = typeof environment === 'object' && environment !== null ? Reflect.get(environment, 'type') : 'local'
  return where === 'local' ? type : null
}

/** What such a tool takes. */
export function localTool(kind: LocalKind): ClientTool {
  return locals[kind]
}
