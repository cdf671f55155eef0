import type { ConsoleTable } from './console-endpoint.ts'
import { browserSessionList, consoleSession, doneReply, sessionPath } from './session.ts'

export const sessionEndpoints = {
  getConsoleSession: {
    id: 'getConsoleSession',
    method: 'GET',
    path: '/console/session',
    permission: 'public',
    request: {},
    reply: { description: 'Who is signed in, and what the gateway offers.', json: consoleSession },
    errors: [],
  },
  listBrowserSessions: {
    id: 'listBrowserSessions',
    method: 'GET',
    path: '/console/sessions',
    permission: null,
    request: {},
    reply: { description: 'The browsers that are signed in, newest first.', json: browserSessionList },
    errors: [],
  },
  endBrowserSession: {
    id: 'endBrowserSession',
    method: 'DELETE',
    path: '/console/sessions/{session_id}',
    permission: null,
    request: { path: sessionPath },
    reply: { description: 'It is signed out.', json: doneReply },
    errors: ['session_not_found'],
  },
  endOtherSessions: {
    id: 'endOtherSessions',
    method: 'DELETE',
    path: '/console/sessions',
    permission: null,
    request: {},
    reply: { description: 'All others are signed out.', json: doneReply },
    errors: [],
  },
} as const satisfies ConsoleTable<
  'getConsoleSession' | 'listBrowserSessions' | 'endBrowserSession' | 'endOtherSessions'
>
