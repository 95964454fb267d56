"""More subjects for which no tool is listed: `purpose|question|question...`, with slots that make_data.py fills in.

{n} {n2} names, {d} day, {c} {c2} cities, {t} time, {k} {k2} numbers, {w} {w2} words, {i} things, {l} language, {e} e-mail, {f} file,
{g} picture, {h} host, {u} address on the web, {x} code, {s} title, {y} phone number.
"""

ABSENT_MORE = """check the rain radar|Is there rain on the way to {c}?|Will I need an umbrella on {d}?|Rain radar for {c}|Any thunderstorms near {c} tonight?|Will it snow in {c} on {d}?
measure the temperature|How many degrees is it in {c} right now?|Temperature in {c}?|Is it below {k} degrees outside?|What does the thermometer say?|How hot will it get on {d}?
report the air quality|How good is the air in {c}?|What's the pollen count on {d}?|Is there smog in {c} today?|Air quality for {c} please
tell when the sun rises|When does the sun set in {c}?|Sunrise in {c} on {d}?|When will it get dark today?|How long is the day in {c} now?
read e-mails|Did {n} write me an email?|Show my unread mails|Open the last email from {n}|Any new mail from {e}?|What's the subject of {n}'s mail?
send e-mails|Email {e} that I'm late|Send {n} a mail about the {w}|Reply to {n}'s email|Write to {e} and say thanks|Mail the {w} {w2} to {e}
filter spam|Move {n}'s mail to spam|Block mails from {e}|Unsubscribe me from the {w} newsletter|Empty my spam box
send text messages|Text {n} that I'm on my way|Send an SMS to {y}|Message {n}: see you at {t}|Tell {n} I'll be there on {d}|Write {n} on the messenger
read messages|What did {n} text me?|Any new messages from {n}?|Read my last chat with {n}|Has {n} answered yet?
set timers|Timer for {k} minutes please|Start a countdown of {k} seconds|Stop the timer|How long is left on my timer?|{k} minute timer, go
set alarms|Wake me at {t}|Alarm at {t} on {d}|Cancel tomorrow's alarm|Snooze for {k} minutes|I must get up at {t}, set the alarm
use a stopwatch|Start the stopwatch|Lap time?|Stop the clock and tell me my time|Measure how long I run
set reminders|Remind me on {d} about the {w}|Don't let me forget {n}'s birthday, remind me on {d}|Reminder at {t}: {w} {w2}|Ping me at {t} about {i}
manage a calendar|Put {n}'s party in my calendar for {d}|Am I free on {d} at {t}?|What's on my schedule for {d}?|Cancel my appointment with {n}|Move the {w} meeting to {d}|When is my next meeting?
tell the time|What's the time in {c}?|Is it already {t}?|Current time please|What time is it now?|How late is it over in {c}?
tell the date|What day is it?|Which date is {d}?|What's today's date?|Is today a holiday in {c}?|What week number is it?
book flights|Find me a flight from {c} to {c2}|Book {k} seats on the plane to {c}|I want to fly to {c} on {d}|Cheapest flight to {c2}?|Cancel my flight {x}
book trains|Get a train from {c} to {c2} on {d}|Two train tickets to {c} please|Reserve a seat on the train at {t}|When is the next train to {c}?
book hotels|I need a room in {c} for {k} nights|Book the {s} Hotel for {d}|Find a cheap hotel near {c}|Cancel my hotel in {c}
reserve tables|Book a table for {k} at {t}|Reserve a table at {s} on {d}|Get us a table for {n} and me|Table for two in {c} please
rent cars|Rent a car in {c}|Hire a van for {d}|I need a rental car for {k} days|Get me a car at {c} airport
get a taxi|Call me a cab|Taxi to {c} at {t}|Order a ride to the airport|How far away is my driver?
buy tickets for shows|Two tickets for {s} on {d}|Get seats for the concert in {c}|Is the {w} festival sold out?|Buy cinema tickets for {n} and me
transfer money|Send {k} dollars to {n}|Transfer {k} euros to {x}|Pay {n} back {k} dollars|Wire {k} to my savings account|Move {k} pounds to {n}'s account
pay bills|Pay my electricity bill|Settle the invoice {x}|Pay the {w} bill on {d}|Pay {k} dollars for the {w}
see bank accounts|What's my balance?|How much did I spend on {i} last month?|Has {n} paid me yet?|Show my last {k} transactions
handle credit cards|Block my credit card|What's my card limit?|Order a new card for {n}|Raise my limit to {k}
look up stock prices|What is {w} stock worth today?|Price of {s} shares|How did the market do on {d}?|Did my {w} shares go up?
trade shares|Buy {k} {s} shares|Sell my {w} stock|Sell everything if it hits {k}|Trade {k} of my {w} shares
look up crypto prices|What's Bitcoin at?|Price of one Ether?|Did Bitcoin go over {k} thousand?|Crypto prices please
get exchange rates|What's the dollar rate today?|Today's rate for the yen|How many euros do I get for {k} dollars today?|What is the pound worth now?
play music|Play {s} by {n}|Put on some jazz|I want to hear {s}|Play the {w} playlist|Next song please|Pause the music
play videos|Play the video {s}|Show me a clip of {i}|Put {s} on the television|Skip {k} seconds ahead|Pause the film
control the volume|Turn it up to {k}|Make it quieter|Mute the speakers|Volume {k} percent|It's too loud, turn it down
recognise songs|What song is this?|Who sings this?|Name that tune|Which band is playing right now?
play podcasts|Play the latest episode of {s}|Resume my podcast|Any new podcasts about {i}?|Subscribe to the podcast {s}
control the television|Switch to channel {k}|Turn off the TV|What's on TV on {d}?|Record {s} on {d}
control lights|Switch off the kitchen light|Dim the lamp to {k} percent|Lights on in the hall|Make the bedroom lights blue|It's dark in here, lights please
control the heating|Set the heating to {k} degrees|Make it warmer in the bedroom|Turn the thermostat down|Stop the air conditioning
lock doors|Lock the back door|Is the front door locked?|Unlock the garage for {n}|Close and lock everything
control blinds|Close the blinds|Open the curtains at {t}|Lower the shutters to {k} percent|Let some light in, raise the blinds
run a vacuum robot|Vacuum the living room|Send the robot to the kitchen|Stop cleaning|Hoover the floor at {t}
control kitchen devices|Preheat the oven to {k} degrees|Start the dishwasher|Is the fridge door open?|Make me a coffee at {t}|Boil some water
water the garden|Turn on the sprinkler|Water the plants for {k} minutes|Is the soil dry?|Water the roses on {d}
watch cameras|Who is at the door?|Show me the garage camera|Did anyone come in after {t}?|Look through the front camera
charge the car|How full is my car battery?|Start charging the car at {t}|Charge the car to {k} percent|Where did I park my car?
give directions|How do I get to {c}?|Directions from {c} to {c2}|Which way is the station?|Navigate to {n}'s house|Quickest route to {c} please
measure distances on a map|How far is {c} from {c2}?|Distance between {c} and {c2} by car|How long does it take to walk to {c}?|How many miles to {c}?
find places nearby|Where's the closest bakery?|Any good restaurants in {c}?|Find a pharmacy near me|Is there a {w} shop around here?|Nearest petrol station?
report the traffic|How is the traffic to {c}?|Any jams on the way to {c2}?|Is the road to {c} closed?|Will I make it to {c} by {t}?
look up bus times|When does the next bus to {c} leave?|Is bus {k} on time?|Last tram to {c}?|Which line goes to {c}?
find out where you are|Where am I?|What city am I in?|Share my location with {n}|My coordinates please
track flights|Has flight {x} landed?|Is {n}'s plane late?|Gate for flight {x}?|When does {x} arrive in {c}?
roll dice|Roll a die|Roll {k} dice|Throw two dice for me|Roll a twenty-sided die|Dice please
flip coins|Flip a coin|Heads or tails?|Toss a coin {k} times|Throw a coin to decide
pick random numbers|Pick a random number up to {k}|Give me a random number|Draw {k} lottery numbers|A random number between {k} and {k2} please
draw cards|Draw a card|Shuffle the deck|Deal {k} cards to {n}|Which card is on top?
keep game scores|Give {n} {k} points|Who is winning, {n} or {n2}?|Reset the score board|Show the high scores
play games|Start a new game of {s}|Move my knight to e5|Play chess with me on the board|Undo my last move|Join {n}'s game
edit images|Crop {g}|Rotate {g} by {k} degrees|Make {g} black and white|Remove the background from {g}|Brighten {g} a bit
resize images|Make {g} {k} pixels wide|Shrink {g} by half|Resize {g} please|Scale {g} down for the web
draw images|Paint me a picture of {i}|Draw {n} with a {w}|Create a logo for {s}|Make an image of {c} at night|Sketch some {i}
recognise images|What's on the picture {g}?|Who is in {g}?|How many {i} can you see in {g}?|Describe {g} to me
take pictures|Take a photo|Snap a picture of {n}|Take a screenshot|Film me for {k} seconds
record sound|Record my voice|Start recording|Stop the recording at {t}|Make a voice memo about {i}
speak aloud|Say {w} out loud|Speak the answer in {n}'s voice|Use the speaker to greet {n}|Sing me a song about {i}
make videos|Cut the first {k} seconds off the clip|Make a video about {i}|Add music to my video|Put subtitles on the film
test the network|Ping {h}|Is {h} reachable?|How fast is my internet?|Trace the route to {h}|Check if {u} is up
look up addresses on the network|What's my IP?|Which IP does {h} have?|Look up the DNS of {h}|Who owns the domain {h}?
scan ports|Is port {k} open on {h}?|Scan {h}|Which ports does {h} listen on?|Check port {k} of {h}
open web pages|Open {u}|What does the site {u} say?|Load {u} for me|Visit {u}|Fetch the page {u}
search the web|Search the web for {i}|Google {w} {w2}|Look up {s} online|Find articles on {i} on the internet|What does the web say about {n}?
download things|Download {u}|Get the newest version of {s} from the web|Download the {w} app|Pull the picture from {u}
upload things|Upload {g} to my site|Put {g} in the cloud|Upload the {w} album|Share {g} with {n}
connect devices|Connect to the wifi {s}|Pair my headphones|Turn Bluetooth off|Disconnect {n}'s phone|Join the network {w}
control the phone|Turn on flight mode|Set the brightness to {k}|Silence my phone|How much battery is left?|Change my ringtone to {s}
find lost devices|Where's my phone?|Ring my tablet|Find my keys|Locate {n}'s watch
make phone calls|Call {n} at {y}|Ring {y}|Dial {y} please|Phone {n} and {n2}|Get {n} on the phone|Hang up
make video calls|Start a video call with {n}|Join the call {x}|Invite {n} to the meeting {x}|Mute me in the call
manage contacts|What is {n}'s number?|Save {y} as {n}'s number in my contacts|Add {n} to my address book|Where does {n} live?|Change {n}'s email to {e} in my contacts
post on social networks|Post '{w} {w2}' on my page|Tweet about {i}|Like {n}'s post|Follow {n}|How many followers do I have?
shop online|Order {k} {i} online|Add {i} to my cart|Buy the {w} for {n}|Find cheap {i}|Check out my cart
compare prices|Which shop sells {i} cheapest?|Compare prices of {i}|How much do {i} cost in {c}?|Any offers on {i}?
track parcels|Where is my parcel {x}?|Track {x}|When will my order {x} come?|Has {x} been shipped?
return orders|Send back order {x}|I want a refund for {x}|Return the {i} I bought|Cancel order {x}
check the stock of a shop|Do you have {i} in stock?|Is {x} sold out?|How many {i} are left in the {c} store?|Reserve {k} {i} in the shop
order food|Order a pizza to my house|Get me {k} burgers|I want sushi delivered at {t}|Order dinner for {n}
plan meals with a cook book|Look up a recipe with {i} in the cook book|Show today's menu at {s}|What's in the canteen on {d}?|Plan my meals for {d}
count calories|How many calories did I eat?|Log {k} calories for lunch|Track my dinner|Calories burned today?
track health|What's my pulse?|How many steps did I walk today?|Show my sleep for {d}|Record my weight: {k} kilos|Check my blood pressure
log workouts|Log a run of {k} minutes|Start my workout|I swam {k} lengths, track it|How far did I run on {d}?
book doctors|Get me an appointment with Doctor {n}|I need a dentist on {d}|Move my doctor's visit to {d}|Refill my prescription {x}
translate with a service|Translate {f} to {l}|Run '{w} {w2}' through the translator into {l}|Have {s} translated into {l}|Use the translation service for my mail in {l}
check spelling|Run the spell checker on {s}|Check my grammar with your tool|Fix the typos in my mail to {n}|Is there a spell check?
look things up in a dictionary|Look up {w} in the dictionary|Open the encyclopedia at {w}|Find {w} in the thesaurus|Get the dictionary entry for {w2}
print documents|Print {f} on paper|Print {k} copies of {f}|Is the printer out of ink?|Print {f} on both sides|Cancel the print job {x}
scan documents|Scan this letter|Scan {k} pages|Read the QR code|Scan the bar code of the {w}
run programs|Run {w}.py|Execute the {w} script|Start the {w} program|Launch {s}|Open the app {s}
stop programs|Kill the process {k}|Quit {s}|Stop the {w} service|Close all programs
install programs|Install {w}|Update {s} to version {k}|Uninstall the {w} app|Is {w} installed?
restart machines|Reboot {h}|Restart the computer|Shut down the server {x}|Put the laptop to sleep
check the machine|How much memory is free?|What's the CPU load?|How warm is the processor?|Which processes are running?|How full is my disk?
use version control|Commit my changes|Push the branch {w}|Who changed {f} last?|Clone {u}|Merge {w} into main
test code|Run the tests|Compile {f}|Lint {f}|Does {f} pass the tests?|Build the project {w}
query databases|Run SELECT on the table {w}|How many rows are in {w}?|Drop the table {w}|Look up customer {k} in the database
deploy services|Deploy {w} to production|Roll back release {k}|Scale {w} to {k} servers|Is the build {x} done?
rename files|Rename {f} to {w}.bak|Change the name of {f} to {w}.old|Give {f} a new name|Call {f} {w}.txt from now on
copy files|Copy {f} to the usb stick|Make a duplicate of {f}|Clone {f} three times|Back up {f} to the cloud
move files|Move {f} to another disk|Move {f} onto the usb stick|Shift {f} over to my phone|Send {f} to my tablet
compress files|Zip {f}|Compress the folder {w}|Unpack {w}.zip|Make an archive of {f}|Extract {w}.tar.gz
encrypt files|Encrypt {f}|Put a password on {f}|Decrypt {f} with the key {x}|Sign {f} for {n}
change permissions|Make {f} read-only|Who may open {f}?|Give {n} access to {f}|chmod {k} {f}|Change the owner of {f} to {n}
share files|Share {f} with {n}|Send {f} to {n}|Mail {f} to {e}|Give {n} a link to {f}|Upload {f}
convert files|Turn {f} into a PDF|Convert {g} to another format|Export {f} as a spreadsheet|Make an audio book of {f}
find logarithms|What is the logarithm of {k}?|log of {k}|Natural log of {k}?|Take the logarithm of {k}|ln({k})
work out angles|What's the sine of {k} degrees?|cos({k})|Tangent of {k}?|Give me the cosine of {k} degrees|sin {k}
work out factorials|What's the factorial of {k}?|{k}!|Factorial of {k} please|Compute {k} factorial
find prime factors|Is {k} a prime number? Use the tool|Factorise {k}|Prime factors of {k}|Find the next prime after {k}
plot graphs|Plot the numbers {k} and {k2}|Draw a chart of my {i}|Make a pie chart of {k} and {k2}|Draw a bar chart of {k} and {k2}
solve equations|Solve x for me with the equation solver|Find the derivative for me|Integrate x from {k} to {k2}|Factor the polynomial
convert units with a converter|Convert {k} miles with the unit converter|Change {k} Fahrenheit to Celsius|Switch {k} ounces to grams|Use the unit tool for {k} inches
manage to-do lists|Tick off {w} on my to-do list|Add {i} to my to-do app|What's left on my to-do app?|Mark task {k} as done
manage projects|Open ticket {x}|Assign {x} to {n}|Close issue {k}|Who works on task {x}?|Create a ticket for {n}
sign documents|Sign the contract {x}|Get {n}'s signature|Send the contract to {n} to sign|Approve request {x}
manage staff|How many holidays do I have left?|Request {d} off|Who is on duty on {d}?|Approve {n}'s leave|Clock me in at {t}
manage accounts|Reset my password|Create an account for {n}|Log me out|Change my user name to {w}|Log in as {n}
give sports results|Who won the match on {d}?|How did {c} play?|Score of the {c} game?|When does {c} play {c2}?
read the news|Any news from {c}?|Headlines please|What happened in {c} today?|Read me the sports news|Latest news on {s}
look up films|What's on at the cinema in {c}?|Rating of the film {s}?|Which films run on {d}?|Who stars in {s}, says your database?
borrow library books|Renew my library books|Is {s} at the library?|Reserve the book {s}|When must I return {s}?
find jobs|Find me a job in {c}|Any openings for a {w} in {c2}?|Apply for job {x}|Send my CV to {n}
find homes|Find a flat in {c} for {k} euros|Any houses for sale in {c}?|What's the rent in {c2}?|Arrange a viewing of {x}
control robots|Move the robot {k} steps|Turn the robot left|Lift the arm by {k} degrees|Stop the drone|Fly the drone to {c}
use sensors|What does sensor {x} read?|How damp is the cellar?|Is the smoke alarm on?|Calibrate sensor {k}
manage subscriptions|Cancel my {s} subscription|When does my {w} subscription end?|Renew the {w} plan|Switch {n} to the cheaper plan
call for help|Call an ambulance|Send the police to {c}|Call a plumber|My car broke down near {c}, send help
care for pets|Feed the cat at {t}|Open the dog door|How much food is in the cat feeder?|Where is {n}'s dog?
send flowers|Send {n} flowers on {d}|Have {k} roses delivered to {n}|Order a bunch of tulips for {n}|Send a gift to {n}"""

EXTRA_REFUSALS = ["I can't {p}, because no tool for that is listed.", "There is no tool here to {p}.", "I'm afraid that I have no tool to {p}.", "I'd need a tool to {p}, and there is none in my list.",
                  "I'm not able to {p}: I have no tool for it.", "My tools can't {p}, sorry.", "To {p} I would need another tool, and I don't have it.", "Unfortunately I can't {p} here; no tool does that."]

# Tools whose worlds are so near that a question for one may fit the other.
NEAR = [set(line.split()) for line in """mail email e-mail mails emails message messages text messenger send sms letter post tweet reply write chat tell forward invite share parcel ship dispatch notify pass
buy order orders purchase get shop cart sell pay payment bill invoice book reserve rent hire ticket tickets hotel hotels flight flights table room seat trip tour taxi cab ride food checkout voucher loan claim
play music song songs album playlist video film media podcast podcasts volume mute pause resume episode television tv radio louder skip
light lights lamp turn switch activate deactivate adjust dim device devices heater oven fan heating house bright set thermostat
timer timers alarm alarms remind reminders reminder calendar event events schedule meeting meetings appointment plan task project todo to-do countdown clock busy
run start launch open app apps program programs script restart reboot server deploy service services container build branch stop shut execute install test load machine engine close end kill halt begin
map maps route directions find place places track location navigate distance way search look where travel
translate translation translator language languages dictionary define thesaurus
draw image images picture pictures photo photos paint resize crop scan screen camera edit rotate describe scale
convert currency currencies exchange rate rates price prices stock shares ticker units unit money worth amount cost
time date day today clock late week
call calls phone ring dial video join room
note notes list add create store save record log register label
file files copy rename move zip compress export import upload download fetch url web page pages archive path document backup sync
user users account accounts profile contact contacts person people login member staff
lock unlock door doors gate
random dice pick numbers number roll coin
check inspect show status state info information find get look review rate
weather rain temperature forecast degrees snow
clean vacuum tidy robot water garden plants field tank
print printer printers copies
doctor patient exam student course lesson appointment
car cars bus train plane ship boat truck tram drone drive park
logarithm remainder modulo percentage average sort factorial""".splitlines()]
