/** Tools of the Messages form that a client runs and names by a type alone. Source: Anthropic, tools of the client. */
import { type ClientTool, type Fields, numbers, object, oneOf, text, whole } from '../client-tool.ts'

const EDITS = {
  path: text('The file or folder.'),
  file_text: text('With create: the whole content.'),
  old_str: text('With str_replace: the text to replace. It must be there exactly once, blanks included.'),
  insert_line: whole('With insert: the line behind which the text is put; 0 is the beginning.'),
  view_range: numbers('With view: the first and the last line, counted from 1; -1 is the end.'),
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
    start_coordinate: numbers('With left_click_drag: x and y of its beginning.'),
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
        coordinate: numbers('x and y in pixels from the left and the top.'),
        text: text('With type: the text. With key: the keys, such as ctrl+s.'),
        ...(isEarly ? {} : later),
        ...(zooms ? { region: numbers('With zoom: left, top, right and bottom of what to see.') } : {}),
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
