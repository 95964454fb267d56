/** BFCL's categories of several turns, but for those whose services are made long on purpose. */
export const CONVERSATION_CATEGORIES = [
  'multi_turn_base',
  'multi_turn_miss_func',
  'multi_turn_miss_param',
] as const;

export type ConversationCategory = (typeof CONVERSATION_CATEGORIES)[number];

/** The simulated services, each a class of Python with a description of its functions. */
const SERVICES = [
  ...['gorilla_file_system', 'math_api', 'message_api', 'posting_api', 'ticket_api', 'trading_bot'],
  ...['travel_booking', 'vehicle_control'],
];

/** The folder of the classes, beside BFCL's data. */
export const CLASSES = 'classes';

export const questionsOf = (category: ConversationCategory) => `BFCL_v4_${category}.json`;

/** Paths below the folder of the data: all that these categories need. */
export const CONVERSATION_FILES: readonly string[] = [
  ...CONVERSATION_CATEGORIES.flatMap(category => [
    questionsOf(category),
    `possible_answer/${questionsOf(category)}`,
  ]),
  ...SERVICES.map(name => `multi_turn_func_doc/${name}.json`),
  ...[...SERVICES, 'long_context'].map(name => `${CLASSES}/${name}.py`),
];
