"""More hand-written training tools: office, chat, code, databases, networks, web, archives. See other_tools.py."""

TOOLS = """
create_task(title: string=task, due?: string=date, priority?: "low"|"normal"|"high"=enum) - Create a task in the to-do list.
? Add '{title}' to my tasks; New task: {title}; I have to "{title}" by {due}, put it on the to-do list; Task "{title}", due {due}; A {priority} priority task: {title}; On my list for {due}: '{title}'; Don't let me forget to {title}, make it a task
! manage tasks
complete_task(task_id: integer=int, comment?: string=text) - Mark a task as completed.
? Task {task_id} is done; I finished task {task_id}; Tick off task {task_id}; Complete {task_id} with the comment '{comment}'; Number {task_id} on my list is finished; Close task {task_id}, "{comment}"
! manage tasks
assign_ticket(ticket: string=code, assignee: string=person) - Assign a support ticket to somebody.
? Assign {ticket} to {assignee}; Give the ticket {ticket} to {assignee}; {assignee} should take {ticket}; Let {assignee} handle ticket {ticket}; {ticket} goes to {assignee}; Make {assignee} responsible for {ticket}
! assign tickets
cancel_meeting(meeting: string=words, date: string=date, notify?: boolean=bool) - Cancel a meeting.
? Cancel the {meeting} meeting on {date}; The meeting about {meeting} on {date} is off; Drop "{meeting}" on {date} and tell everybody{notify=true}; Call off the {meeting} meeting on {date}, without telling anyone{notify=false}; I can't make it to '{meeting}' on {date}, cancel it; {date}: cancel {meeting}, notify {notify}
! cancel meetings in the calendar
move_event(event: string=words, new_date: string=date, new_time?: string=clock) - Move a calendar event to another date.
? Move {event} to {new_date}; Push '{event}' to {new_date} at {new_time}; {event} has to be on {new_date} instead; Shift the event {event} to {new_date}, {new_time}; Can "{event}" be moved to {new_date}?; Reschedule {event} for {new_date} at {new_time}
! manage a calendar and its events
find_free_slot(people: string[]=people, minutes: integer=minutes, after?: string=clock) - Find a time when everybody is free.
? When are {people} free for {minutes} minutes?; Find {minutes} minutes with {people}; I need {minutes} minutes with {people} after {after}; A free slot of {minutes} minutes for {people}; After {after}, when can {people} meet for {minutes} min?; {people} and I need {minutes} minutes together
= Tuesday 10:00
! find free slots in a calendar
request_leave(start: string=isodate, end: string=isodate, kind?: "vacation"|"sick"|"unpaid"=enum) - Request days off.
? I'd like to be off from {start} to {end}; Request {kind} leave {start} until {end}; {kind} leave between {start} and {end}; I'm away {start} to {end}; Days off, {start} - {end}, {kind}; From {start} until {end} I will not work, file it as {kind}
! request leave
submit_expense(amount: number=price, category: "travel"|"meals"|"software"|"other"=enum, description?: string=words) - Submit an expense.
? Submit {amount} for {category}; I spent {amount} on {category}; Expense: {amount}, {category}, {description}; File an expense of {amount} under {category} for '{description}'; {category} cost me {amount}, claim it back; Claim {amount} as {category} called {description}
! submit expenses
find_contact(name: string=person) - Look up a contact.
? What is {name}'s number?; How can I reach {name}?; Show the contact {name}; Find {name} in my contacts; Do I have the address of {name}?; Contact details of {name} please
= 555-1234
! look up and handle contacts
reply_email(message_id: string=code, body: string=text, reply_all?: boolean=bool) - Reply to an e-mail.
? Reply to {message_id}: {body}; Answer mail {message_id} with '{body}'; Reply "{body}" to everybody in {message_id}{reply_all=true}; Respond to {message_id} saying '{body}'; To the mail {message_id} I want to answer "{body}"; Answer {message_id} only to the sender{reply_all=false}: {body}
! answer and send e-mails or mail
search_inbox(sender?: string=person, subject?: string=words, unread?: boolean=bool) - Search the mailbox.
? Find mails from {sender}; Do I have unread mail{unread=true}?; Which emails from {sender} are about {subject}?; Look in my inbox for '{subject}'; Mail about {subject}; Unread messages from {sender}{unread=true}; Has {sender} written to me?
= 2 messages.
! search the inbox and read e-mails or mail
post_to_channel(channel: string=channel, message: string=text) - Post a message in a team channel.
? Post '{message}' in {channel}; Tell {channel}: {message}; Write "{message}" to the {channel} channel; In {channel}, say '{message}'; Message for {channel}: {message}; Let everybody in {channel} know: {message}
! post messages in channels
invite_to_channel(people: string[]=people, channel: string=channel) - Invite people to a team channel.
? Invite {people} to {channel}; Add {people} to the channel {channel}; {people} should join {channel}; Let {people} into {channel}; Bring {people} into the {channel} channel; {channel} needs {people}, invite them
! invite people to channels
set_status(status: "available"|"busy"|"away"|"offline"=enum, until?: string=clock) - Set the chat status.
? I'm {status} until {until}; Set my status to {status}; Show me as {status}; Mark me {status} till {until}; Status {status}, until {until}; Until {until} I want to appear {status}
! set the chat status
create_poll(question: string=text, options: string[]=wordlist, anonymous?: boolean=bool) - Create a poll.
? Create a poll '{question}' with the options {options}; Ask the group "{question}", choices: {options}; Poll: "{question}" with {options}; Let people vote on '{question}' between {options}; An anonymous poll{anonymous=true} "{question}" with {options}; With the options {options}, start a poll asking '{question}'
! create polls
print_document(document: string=file, copies?: integer=small, color?: boolean=bool, paper?: "A3"|"A4"|"A5"=enum) - Print a document.
? Print {document}; {copies} copies of {document} please; Print {document} in color{color=true}; Print {document} in black and white{color=false}; I need {document} on paper, {copies} times; {document} on {paper}; Print {document}, {copies} copies, {paper}
! print documents
book_desk(desk: string=code, date: string=date, monitor?: boolean=bool) - Book a desk in the office.
? Book desk {desk} on {date}; I come in on {date}, get me desk {desk}; {desk} on {date} please; Reserve {desk} for {date} with a monitor{monitor=true}; On {date} I sit at {desk}; Desk {desk}, {date}, no monitor{monitor=false}
! book desks
find_employee(department?: string=department, skill?: string=topic, office?: string=city) - Find colleagues.
? Who works in {department}?; Who in {office} knows about {skill}?; Find colleagues in the {office} office; I need somebody who understands {skill}; Who in {department} can do {skill}?; Is there anyone from {department} in {office}?
= Anna Weber, Leo Kim
! find colleagues and staff
start_time_tracking(project: string=project, task?: string=words) - Start tracking working time.
? Start the clock for {project}; I begin working on {project}; Track time on {project} for {task}; Working on '{task}' in {project} now; Time tracking on for {project}; Log my hours on {project}, task {task}
! track working time
run_tests(path?: string=folder, filter?: string=word, verbose?: boolean=bool) - Run the test suite.
? Run the tests; Run the tests in {path}; Do the tests in {path} pass?; Run only the {filter} tests; Test {path} with verbose output{verbose=true}; Run the {filter} tests in {path}; Check that the tests with {filter} in their name still pass
= 34 passed.; 2 failed.
! run tests and programs and test code
create_branch(name: string=branch, base?: string=branch) - Create a git branch.
? Create a branch {name}; New branch {name} off {base}; Branch off {base} as {name}; I need a branch called {name}; Start {name} from {base}; Make a git branch named {name}
! manage branches in git version control
commit_changes(message: string=text, files?: string[]=files) - Commit changes to git.
? Commit with the message '{message}'; Commit {files} as "{message}"; Commit everything: {message}; Check in {files}, message '{message}'; Save my changes in git saying "{message}"; "{message}" should be the message of the commit
! commit to git version control
merge_pull_request(number: integer=int, method?: "merge"|"squash"|"rebase"=enum) - Merge a pull request.
? Merge pull request {number}; PR {number} is fine, merge it; {method} pull request {number}; Merge #{number} by {method}; Number {number} can go in, use {method}; Let's get PR #{number} merged
! merge pull requests in git version control
open_issue(repo: string=repo, title: string=text, labels?: string[]=wordlist) - Open an issue in a repository.
? Open an issue in {repo}: {title}; File '{title}' in {repo}; In {repo} create an issue "{title}" with the labels {labels}; New issue "{title}" for {repo}; {repo} has a problem: '{title}', open an issue; Issue in {repo} labelled {labels}: "{title}"
! open issues
format_code(file: string=file, style?: "google"|"black"|"pep8"|"llvm"=enum, line_length?: integer=percent) - Format a source file.
? Format {file}; Tidy up the code in {file}; Format {file} in {style} style; {file} looks messy, format it with lines of {line_length}; Use {style} on {file}; Reformat {file} with a line length of {line_length}; Pretty print {file} in {style}
! format code
find_references(symbol: string=ident, path?: string=folder) - Find where a symbol is used in the code.
? Where is {symbol} used?; Find all uses of {symbol} in {path}; Who calls {symbol}?; References to {symbol}; In {path}, where does {symbol} appear?; Is {symbol} still used anywhere?; Show the places that use {symbol}
= main.py:12
! find references in code
rename_symbol(old: string=ident, new: string=ident) - Rename a symbol in the code.
? Rename the function {old} to {new}; {old} should be {new} everywhere in the code; Change the variable {old} to {new}; Call the variable {old} {new} instead; Refactor {old} into {new}; Replace the name {old} with {new} across the code
! rename symbols in code
install_package(package: string=package, version?: string=version, dev?: boolean=bool) - Install a package.
? Install {package}; Install {package} {version}; Add {package} in version {version}; I need the package {package}; Install {package} as a dev dependency{dev=true}; Get {package} at {version}; {package} is missing, install it; Put {package} on this machine
! install packages
set_env_variable(name: string=upper, value: string=word) - Set an environment variable.
? Set {name} to {value}; {name}={value}; Export {name} as {value}; The variable {name} should be {value}; Make {value} the value of {name}; Environment variable {name}, value {value}
! set environment variables
restart_service(service: string=package, host?: string=host, force?: boolean=bool) - Restart a service.
? Restart {service}; {service} hangs, restart it; Restart {service} on {host}; Kick {service} on {host}, force it{force=true}; The {service} service must be restarted; On {host} the service {service} needs a restart; Bounce {service} with force {force}
! restart services and servers
deploy_app(app: string=project, environment: "dev"|"staging"|"production"=enum, version?: string=version) - Deploy an application.
? Deploy {app} to {environment}; Roll out {app} {version} on {environment}; Put version {version} of {app} on {environment}; {app} should go to {environment}; Ship {app} to {environment}; Release {version} of {app} to {environment}
! deploy apps
read_logs(service: string=package, lines?: integer=int, level?: "debug"|"info"|"warning"|"error"=enum) - Read the logs of a service.
? Show the logs of {service}; Last {lines} lines of {service}'s log; Any {level} entries in the logs of {service}?; Give me {lines} log lines of {service}; What did {service} log?; {level} logs for {service}, {lines} lines; Logs: {service}, level {level}
= started on port 80
! read logs of servers
check_port(host: string=host, port: integer=port) - Check whether a port is open.
? Is port {port} open on {host}?; Check port {port} of {host}; {host}:{port} open?; Can I connect to {host} on port {port}?; Does {host} listen on {port}?; Port {port}, host {host}, open or closed?
= open; closed
! check ports in the network
block_ip(ip: string=ip, minutes?: integer=int, reason?: string=text) - Block an IP address in the firewall.
? Block {ip}; Block {ip} for {minutes} minutes; {ip} attacks us, block it; Ban {ip} because of "{reason}"; Keep {ip} out for {minutes} minutes; Firewall: block {ip}, reason '{reason}'; For {minutes} minutes nothing from {ip} should get in
! block addresses in the firewall
dns_lookup(domain: string=domain, record?: "A"|"MX"|"TXT"|"NS"=enum) - Look up DNS records.
? Look up {domain} in DNS; {record} record of {domain}; What IP does {domain} have?; DNS {record} for {domain}; Resolve {domain}; Which {record} records does {domain} have?
= 10.0.0.1
! look up dns records in the network
generate_password(length: integer=small, symbols?: boolean=bool) - Generate a password.
? Make me a password of {length} characters; I need a {length} character password; Password with {length} letters and with symbols{symbols=true}; Generate a {length} character password without symbols{symbols=false}; New password, length {length}; A secure password, {length} long, symbols {symbols}
= kT4xq9Lm
! generate passwords
reset_password(username: string=word, notify_email?: string=email) - Reset the password of a user.
? Reset the password of {username}; {username} forgot the password; User {username} can't log in, reset the password and mail {notify_email}; New password for {username}, tell {notify_email}; Reset {username}'s password; Set back the password for the account {username}
! reset passwords of accounts
grant_access(user: string=person, resource: string=project, role: "viewer"|"editor"|"owner"=enum) - Give a user access to a resource.
? Make {user} a {role} of {resource}; Give {user} {role} access to {resource}; {user} needs to be {role} on {resource}; Let {user} into {resource} as {role}; {resource}: add {user} as {role}; As {role}, {user} should get {resource}
! grant access and change permissions
scan_for_viruses(path: string=folder, deep?: boolean=bool) - Scan for viruses.
? Scan {path} for viruses; Is there malware in {path}?; Do a deep virus scan{deep=true} of {path}; A quick virus scan{deep=false} of {path}; {path} looks suspicious, scan it; Virus check for {path}, deep {deep}
= Nothing found.
! scan for viruses
count_rows(table: string=table, where?: string=where) - Count the rows of a database table.
? How many rows does {table} have?; Count the rows in {table}; Rows of {table} where {where}?; How many {table} rows have {where}?; Size of the table {table} please; Number of rows in {table} with {where}
= 120; 4
! count rows of databases
insert_record(table: string=table, values: string[]=wordlist) - Insert a record into a database table.
? Insert {values} into {table}; Add a row to {table} with {values}; Put {values} in the table {table}; {table} needs a new record: {values}; New row in {table}: {values}; Store {values} as a row of {table}
! insert into databases
describe_table(table: string=table, schema?: string=word) - Show the columns of a database table.
? Which columns does {table} have?; Describe the table {table}; Columns of {table} in the schema {schema}; What does the table {table} look like?; Structure of {schema} table {table}; Show me how {table} is built
= id, name, price
! describe tables of databases
backup_database(database: string=word, target?: string=folder, compress?: boolean=bool) - Back up a database.
? Back up {database}; Back up the {database} database to {target}; Make a compressed backup{compress=true} of {database}; I'm afraid to lose {database}, back it up into {target}; Save a backup of {database} under {target}; Backup {database}, compress {compress}
! back up databases
create_archive(files: string[]=files, name: string=archive) - Pack files into an archive.
? Pack {files} into {name}; Zip {files} as {name}; Make an archive {name} with {files}; {files} should go into {name}; Compress {files} to {name}; Create {name} from {files}
! zip or compress files into archives
extract_archive(archive: string=archive, target?: string=folder, password?: string=word) - Unpack an archive.
? Unpack {archive}; Extract {archive} to {target}; Unzip {archive} into {target}; What's inside {archive}? Unpack it; {archive} has the password {password}, extract it; Open the archive {archive} with password {password} into {target}
! extract, compress or unzip files and archives
take_screenshot(url: string=url, width?: integer=int, full_page?: boolean=bool) - Take a screenshot of a web page.
? Take a screenshot of {url}; What does {url} look like? Make a screenshot; Screenshot of {url}, {width} pixels wide; Capture the full page{full_page=true} {url}; {url} as a screenshot with width {width}; Picture of the site {url} please
! take screenshots of web pages
check_website(url: string=url, timeout_seconds?: integer=small) - Check whether a web site is up.
? Is {url} down?; Check whether {url} works; Does {url} answer within {timeout_seconds} seconds?; Is the site {url} online?; {url} does not load for me, check it; Test {url} with a timeout of {timeout_seconds} seconds
= up; down
! check web sites and the network
add_bookmark(url: string=url, title?: string=title, folder?: string=word) - Bookmark a web page.
? Bookmark {url}; Save {url} to my bookmarks as '{title}'; I like {url}, bookmark it in {folder}; Bookmark {url} called "{title}"; Put {url} into the bookmark folder {folder}; Keep {url} under the title '{title}' in {folder}
! bookmark web pages
convert_video(source: string=video, format: "mp4"|"webm"|"avi"|"mov"=enum, quality?: integer=percent) - Convert a video to another format.
? Convert {source} to {format}; I need {source} as {format}; Make a {format} out of {source} with quality {quality}; {source} in {format} please; Turn {source} into {format} at quality {quality}; To {format}, quality {quality}: {source}
! convert videos
download_file(url: string=url, save_as?: string=file) - Download a file from the web.
? Download {url}; Download {url} as {save_as}; Get the file at {url} and call it {save_as}; Save {url} to {save_as}; I need the file from {url}; {url}: download it to {save_as}
! download files from the web
"""
