/** All commands, put together. Help, manual and completions are made from these definitions. */
import { Command } from '@commander-js/extra-typings'
import { balanceCommand, usageCommand, whoamiCommand } from './commands/account.ts'
import { speakCommand, transcribeCommand, voicesCommand } from './commands/audio.ts'
import { chatCommand } from './commands/chat.ts'
import { completeCommand, completionCommand } from './commands/completion.ts'
import { embedCommand } from './commands/embed.ts'
import { addHelp } from './commands/help.ts'
import { historyCommand } from './commands/history.ts'
import { imageCommand } from './commands/image.ts'
import { depositCommand } from './commands/deposit.ts'
import { keysCommand } from './commands/keys.ts'
import { logCommand } from './commands/log.ts'
import { modelsCommand } from './commands/models.ts'
import { priceCommand } from './commands/price.ts'
import { receiptCommand } from './commands/receipt.ts'
import { loginCommand, logoutCommand, profilesCommand } from './commands/sign-in.ts'
import { videoCommand } from './commands/video.ts'
import type { Start } from './start.ts'

const AFTER_HELP = `
Environment:
  SVC_API_KEY, SVC_BASE_URL   key and address, in place of a profile
  SVC_PORT                    port of a gateway on this machine
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY, NO_COLOR, CLICOLOR=0

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not enough credits, 4 not signed in, 130 interrupted.
`

export function createProgram(start: Start, version: string) {
  const program = new Command('svc')
    .description('Chat, images, video and speech from an SVC gateway, in a terminal.')
    .version(version, '-V, --version', 'print the version')
    .option('--json', 'print the result as JSON')
    .option('-q, --quiet', 'no notes on standard error')
    .option('--profile <name>', 'use this profile')
    .option('--base-url <url>', 'address of the gateway, which ends in /api')
    .showHelpAfterError('`svc help` shows the commands.')
    .addHelpText('after', AFTER_HELP)
  program.addCommand(chatCommand(start))
  program.addCommand(historyCommand(start))
  program.addCommand(imageCommand(start))
  program.addCommand(videoCommand(start))
  program.addCommand(speakCommand(start))
  program.addCommand(voicesCommand(start))
  program.addCommand(transcribeCommand(start))
  program.addCommand(embedCommand(start))
  program.addCommand(modelsCommand(start))
  program.addCommand(priceCommand(start))
  program.addCommand(balanceCommand(start))
  program.addCommand(usageCommand(start))
  program.addCommand(receiptCommand(start))
  program.addCommand(logCommand(start))
  program.addCommand(depositCommand(start))
  program.addCommand(keysCommand(start))
  program.addCommand(whoamiCommand(start))
  program.addCommand(loginCommand(start))
  program.addCommand(logoutCommand(start))
  program.addCommand(profilesCommand(start))
  program.addCommand(completionCommand(start))
  program.addCommand(completeCommand(start), { hidden: true })
  addHelp(program)
  return program
}
