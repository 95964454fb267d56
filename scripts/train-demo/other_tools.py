"""Hand-written training tools; none of their names is among the held-out ones.

A tool line, then `? question`, `= result`, `> reply` and `! what it is for`. {arg} is a value, {arg:kind} in the first
line of values names its generator, {=} the result.
"""

TOOLS = """
get_weather(city: string=city, unit?: "metric"|"imperial"=enum) - Get the current weather in a city.
? What's the weather like in {city}?; How warm is it in {city}?; Weather in {city} in {unit} units; Is it raining in {city}?; Show me the weather for {city}, {unit}; Do I need an umbrella in {city}?
= 18 degrees, cloudy; 25 degrees and sunny; 7 degrees with rain
! check the weather
send_email(to: string=email, subject: string=text, body?: string=text) - Send an e-mail.
? Send an email to {to} with the subject '{subject}'; Email {to}, subject "{subject}", saying "{body}"; Write a mail to {to} about '{subject}'; Mail {to} with subject '{subject}' and text '{body}'
= Sent.; Queued for delivery.
! send e-mails
set_alarm(time: string=clock, label?: string=words) - Set an alarm.
? Wake me at {time}; Set an alarm for {time}; I need an alarm at {time} called {label}; Alarm at {time} please; Please set my alarm to {time} with the label {label}; I have to get up at {time}
= Alarm set.; OK
! set alarms
set_timer(seconds: integer=int) - Start a countdown timer.
? Set a timer for {seconds} seconds; Start a {seconds} second timer; Count down {seconds} seconds; Remind me in {seconds} seconds; Timer: {seconds} seconds
= Timer started.
! start timers
translate_text(text: string=text, language: string=language) - Translate a text into another language.
? Translate '{text}' into {language}; How do you say "{text}" in {language}?; What is '{text}' in {language}?; Put "{text}" into {language}; I need '{text}' in {language}
= Bonjour; Hallo Welt; Buenos dias
! translate texts
play_song(title: string=title, artist?: string=person) - Play a song.
? Play {title}; Put on {title} by {artist}; I want to hear {title}; Play the song {title} from {artist}; Let me listen to {title}; Start {title} by {artist}
= Playing.
! play music
search_web(query: string=words, max_results?: integer=int) - Search the web.
? Search the web for {query}; Look up {query} online; Google {query}; Find {max_results} pages about {query}; Search for {query} with at most {max_results} results; What does the internet say about {query}?
= 1. {query} - an overview; No results.
! search the web
get_stock_price(symbol: string=ticker) - Get the latest price of a stock.
? What is the price of {symbol}?; How is {symbol} doing?; Stock price of {symbol}; Quote for {symbol} please; What does a share of {symbol} cost?; Is {symbol} up today?
= 182.4 USD; 55.1 EUR
! look up stock prices
convert_currency(amount: number=num, source: string=currency, target: string=currency) - Convert money from one currency to another.
? Convert {amount} {source} to {target}; How much is {amount} {source} in {target}?; What are {amount} {source} worth in {target}?; Change {amount} {source} into {target}; {amount} {source} in {target}
= 91.2; 1050
! convert currencies
create_event(title: string=words, date: string=date, time?: string=clock, duration_minutes?: integer=int) - Create a calendar event.
? Create an event {title} on {date}; Add {title} to my calendar on {date} at {time}; Schedule {title} for {date} at {time} for {duration_minutes} minutes; Put {title} in the calendar for {date}; I have {title} on {date}, add it
= Event created.
! manage a calendar
list_events(date: string=date) - List the calendar events of a day.
? What's on my calendar on {date}?; Which events do I have on {date}?; Am I busy on {date}?; Show my schedule for {date}; List events for {date}
= 9:00 dentist; no events
! read a calendar
turn_on_light(room: string=room, brightness?: integer=percent) - Turn on the light in a room.
? Turn on the light in the {room}; Light on in the {room}; It's dark in the {room}, turn on the light; Switch on the {room} light at {brightness}; Make the {room} bright with {brightness} percent
= Light is on.
! switch lights
turn_off_light(room: string=room) - Turn off the light in a room.
? Turn off the light in the {room}; Lights out in the {room}; Switch the {room} light off; No more light in the {room}, please; Please put out the lamp in the {room}
= Light is off.
! switch lights
lock_door(door: string=door) - Lock a door.
? Lock the {door} door; Please lock the {door} door; Make sure the {door} door is locked; Is the {door} door open? Lock it
= Locked.
! lock doors
get_time(city: string=city) - Get the local time in a city.
? What time is it in {city}?; Current time in {city}; Tell me the time in {city}; How late is it in {city}?; Is it morning in {city} now?
= 14:35; 06:10
! tell the time
random_number(low: integer=int, high: integer=int) - Pick a random number between low and high.
? Pick a random number between {low} and {high}; Give me a random number from {low} to {high}; Random number, {low} to {high}; Choose any number between {low} and {high}
= 17
! pick random numbers
find_recipe(ingredients: string[]=nouns, vegetarian?: boolean=bool) - Find a recipe for some ingredients.
? What can I cook with {ingredients}?; Find a recipe with {ingredients}; I have {ingredients}. What can I make?; Recipe for {ingredients}, vegetarian: {vegetarian}; Look for a dish with {ingredients}
= Baked rice; Farmhouse pie
! find recipes
add_to_cart(product: string=words, quantity: integer=int) - Add a product to the shopping cart.
? Add {quantity} {product} to my cart; Put {quantity} {product} in the cart; I want to buy {quantity} {product}; I'll take {quantity} {product}; {quantity} {product} for my cart please
= Added.
! fill a shopping cart
track_package(tracking_number: string=code) - Track a package.
? Where is my package {tracking_number}?; Track {tracking_number}; Has {tracking_number} arrived?; What is the status of parcel {tracking_number}?; When will {tracking_number} get here?; Follow the shipment {tracking_number}
= In transit; Delivered
! track parcels
get_user(user_id: integer=int) - Get a user's profile.
? Show me user {user_id}; Who is user number {user_id}?; Get the profile of user {user_id}; Look up the user with id {user_id}; Open profile {user_id}
= Anna, active; unknown user
! look up users
send_message(recipient: string=person, message: string=text) - Send a chat message to a person.
? Tell {recipient} '{message}'; Send {recipient} the message "{message}"; Message {recipient}: {message}; Text {recipient} saying '{message}'; Let {recipient} know: {message}; Write to {recipient} that "{message}"
= Delivered.
! send messages
call_person(name: string=person) - Call a person on the phone.
? Call {name}; Phone {name}; Ring {name} please; I want to talk to {name}; Give {name} a call; Get {name} on the line
= Calling.
! make phone calls
take_note(note: string=text, tags?: string[]=wordlist) - Store a short note.
? Note: {note}; Take a note '{note}'; Write down "{note}" as a note; Note '{note}' with the tags {tags}; Take this down: {note}
= Noted.
! take notes
set_volume(level: integer=percent) - Set the speaker volume.
? Set the volume to {level}; Volume {level}; Make it louder, {level}; Turn the sound to {level}; Volume at {level} please; I'd like the volume on {level}
= OK
! change the volume
open_app(app: string=word) - Open an application.
? Open {app}; Launch {app}; Start the app {app}; I want to use {app}; Run {app} please; Bring up the {app} app
= Started.
! open apps
calculate_tip(bill: number=num, percent: number=percent) - Work out the tip on a bill.
? What's a {percent} percent tip on {bill}?; Tip on {bill} at {percent}%; How much do I tip on {bill} with {percent} percent?; The bill is {bill}, I want to tip {percent} percent
= 6.3
! work out tips
book_hotel(city: string=city, nights: integer=int, guests?: integer=small) - Book a hotel room.
? Book a hotel in {city} for {nights} nights; I need a room in {city} for {nights} nights and {guests} guests; Find me a place to stay in {city}, {nights} nights; Hotel in {city}, {nights} nights, {guests} guests
= Booked.
! book hotels
reverse_text(text: string=words) - Reverse a text.
? Reverse '{text}'; Write "{text}" backwards; What is '{text}' spelled backwards?; Turn {text} around; Flip the letters of '{text}'
= olleh
! reverse texts
to_uppercase(text: string=words) - Turn a text into capital letters.
? Write '{text}' in capitals; Uppercase "{text}"; Make {text} all caps; '{text}' in upper case please; Capitalise every letter in {text}
= HELLO
! change the case of texts
define_word(word: string=word) - Look up a word in the dictionary.
? Look up the word {word} in the dictionary; Get the dictionary entry for {word}; Dictionary: {word}; Find the definition of {word} with your tool; Check the dictionary for '{word}'
= a kind of thing
! use a dictionary
resize_picture(file: string=image, width: integer=int, height?: integer=int) - Resize a picture.
? Resize {file} to {width} by {height}; Make {file} {width} pixels wide; Scale the picture {file} to width {width}; Shrink {file} to {width} x {height}; {file} should have a width of {width}
= Saved.
! edit pictures
run_query(sql: string=sql, database?: string=word) - Run an SQL query.
? Run {sql}; Execute the query {sql}; Run "{sql}" on the database {database}; Query: {sql}; What does {sql} return?
= 12 rows
! query databases
get_directions(origin: string=city, destination: string=city, mode?: "car"|"bike"|"walk"|"train"=enum) - Get directions between two places.
? How do I get from {origin} to {destination}?; Directions from {origin} to {destination} by {mode}; Route from {origin} to {destination}; I'm in {origin} and must go to {destination} by {mode}; Take me from {origin} to {destination}
= 3 hours via the A7
! give directions
check_stock(product_code: string=code, store?: string=city) - Check how many items of a product are in stock.
? Is {product_code} in stock?; How many {product_code} are left?; Check stock of {product_code} in {store}; Do we still have {product_code}?; Stock level for {product_code} at the {store} store
= 14 left; sold out
! check the stock
schedule_meeting(attendees: string[]=people, date: string=date, topic?: string=words) - Schedule a meeting with several people.
? Schedule a meeting with {attendees} on {date}; Meet {attendees} on {date} about {topic}; Set up a meeting on {date} with {attendees}; I have to meet {attendees} on {date}, topic {topic}
= Scheduled.
! schedule meetings
sort_numbers(values: number[]=nums, descending?: boolean=bool) - Sort a list of numbers.
? Sort {values}; Put {values} in order; Sort the numbers {values} with descending {descending}; Order these: {values}; Arrange {values} by size
= 1, 2, 3
! sort numbers
average(values: number[]=nums) - Average of several numbers.
? What's the average of {values}?; Average {values}; Find the mean of {values}; Mean of {values}?; Take the average of the numbers {values}
= 12.5
! work out averages
convert_length(value: number=num, from: "m"|"km"|"mile"|"foot"=enum, to: "m"|"km"|"mile"|"foot"=enum) - Convert a length.
? Convert {value} {from} to {to}; How many {to} are {value} {from}?; {value} {from} in {to}; What is {value} {from} in {to}?; Express {value} {from} as {to}
= 3.2
! convert lengths
join_room(room_code: string=code, muted?: boolean=bool) - Join a video call.
? Join the call {room_code}; Connect me to room {room_code}; Enter {room_code} with muted {muted}; Open the video room {room_code}; Take me to meeting {room_code}, muted: {muted}
= Joined.
! join calls
report_bug(title: string=text, severity: "minor"|"major"|"critical"=enum) - Report a bug.
? Report a {severity} bug: {title}; File a bug '{title}' with severity {severity}; New {severity} bug called "{title}"; There is a {severity} problem, report it as '{title}'
= Filed as 118.
! report bugs
log_workout(activity: "run"|"swim"|"ride"|"row"=enum, minutes: integer=int, distance_km?: number=num) - Log a workout.
? Log a {activity} of {minutes} minutes; I did a {minutes} minute {activity}, log it; Record {activity}, {minutes} minutes, {distance_km} km; Today I went for a {activity} for {minutes} minutes over {distance_km} km
= Logged.
! log workouts
copy_file(source: string=file, target: string=file) - Copy a file.
? Copy {source} to {target}; Duplicate {source} as {target}; Make a copy of {source} named {target}; I need {source} copied to {target}
= Copied.
! copy files
rename_file(old_name: string=file, new_name: string=file) - Rename a file.
? Rename {old_name} to {new_name}; Call {old_name} {new_name} from now on; Change the name of {old_name} to {new_name}; {old_name} should be called {new_name}
= Renamed.
! rename files
fetch_url(url: string=url) - Fetch a web page.
? Fetch {url}; Open {url}; What's on {url}?; Download the page {url}; Get me the content of {url}; Load {url} please
= 200 OK
! open web pages
create_user(username: string=word, email: string=email, admin?: boolean=bool) - Create a user account.
? Create a user {username} with the email {email}; New account {username}, {email}; Add the user {username} ({email}) with admin {admin}; Register {username} with {email}
= Created.
! create accounts
modulo(a: integer=int, b: integer=int) - Remainder of dividing a by b.
? What is {a} mod {b}?; Remainder of {a} divided by {b}; {a} % {b}; What remains when {a} is divided by {b}?; {a} modulo {b}
= 3
! work out remainders
percentage(part: number=num, whole: number=num) - What percentage part is of whole.
? What percentage of {whole} is {part}?; {part} is how many percent of {whole}?; Express {part} as a percentage of {whole}; How many percent are {part} out of {whole}?
= 25
! work out percentages
start_vacuum(rooms: string[]=rooms, power?: "low"|"medium"|"high"=enum) - Start the robot vacuum.
? Vacuum the {rooms}; Clean the {rooms} with {power} power; Send the robot to the {rooms}; The {rooms} must be vacuumed on {power}
= Started.
! vacuum rooms
order_food(dish: string=words, quantity?: integer=small, address?: string=address) - Order food.
? Order {dish}; I want {quantity} {dish}; Get me {dish} to {address}; Order {quantity} {dish} to {address}; I'm hungry, order {dish}
= Ordered.
! order food
publish_post(title: string=text, body: string=text, draft?: boolean=bool) - Publish a blog post.
? Publish a post '{title}' with the text "{body}"; Post "{body}" under the title '{title}'; Blog post titled "{title}" saying '{body}', draft {draft}
= Published.
! publish posts
move_robot(direction: "forward"|"back"|"left"|"right"=enum, steps: integer=small) - Move the robot.
? Move {direction} {steps} steps; Go {steps} steps {direction}; Robot, {direction} by {steps}; Take {steps} steps {direction}; Drive {direction}, {steps} steps
= Moved.
! move a robot
"""
