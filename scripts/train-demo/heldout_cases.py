"""Held-out phrasings, tools and questions. Nothing here is read by make_data.py."""

# {a}, {b}: numbers in the order of the arguments.
CALC = {
    "add": """Could you work out {a} plus {b} for me?|I had {a} apples and bought {b} more, how many now?|{a} and {b} together make what?
|Sum up {a} and {b} please|I paid {a} euros for shoes and {b} euros for a coat. What did I spend in all?
|My shelf holds {a} books and my sister's holds {b}. What's our total?|combine {a} with {b}|help me add up {a} and {b}
|So what would {a}+{b} come to?|We walked {a} km on Monday, {b} km on Tuesday; how far in total?|what's the sum when you take {a} and {b}?
|A bus had {a} passengers and {b} more got on. How many are aboard?""",
    "subtract": """take {b} away from {a}|Could you work out {a} minus {b} for me?|I had {a} marbles but lost {b}. How many are left over?
|What remains of {a} once you remove {b}?|How much bigger is {a} than {b}?|So what would {a}-{b} come to?
|Out of {a} tickets, {b} were sold. How many are unsold?|help me deduct {b} from {a}|what's left if {b} is taken off {a}?
|I owe {a} pounds and have paid back {b}. What do I still owe?|{a} reduced by {b}, please|Find the result when {b} is subtracted from {a}""",
    "multiply": """Could you work out {a} times {b} for me?|So what would {a}*{b} come to?|There are {a} crates with {b} bottles in each. How many bottles altogether?
|help me multiply {a} and {b}|what do I get with {a} lots of {b}?|what do {a} tickets at {b} dollars apiece cost?
|{a} x {b} = ?|Find the product when {a} is multiplied with {b}|I run {a} laps of {b} metres. How many metres is that?
|work out {a} rows of {b} chairs|{a} multiplied by {b} gives what?|If {a} kids each eat {b} grapes, how many grapes do they eat?""",
    "divide": """what do I get if I split {a} by {b}|Could you work out {a} over {b} for me?|So what would {a}/{b} come to?
|{a} sweets shared fairly between {b} children: how many does each one get?|help me divide {a} by {b}|how many times does {b} fit into {a}?
|{a} divided into {b} equal portions, please|Cut {a} metres of rope into {b} equal bits. How long is each?|what is {a} ÷ {b}, please?
|We pay {a} pounds rent split {b} ways. What is each share?|A car did {a} miles in {b} hours. How many miles per hour?|Find the quotient when {a} is divided by {b}""",
    "power": """Could you raise {a} to the power {b} for me?|So what would {a}^{b} come to?|help me work out {a} to the {b}th power
|what do I get for {a} raised to {b}?|{a}**{b} please|Find the value when the base is {a} and the exponent is {b}
|{a} with exponent {b}: what's the value?|Tell me what {a} to the power of {b} equals, would you""",
    "square_root": """Could you find the square root of {a} for me?|So what would √{a} come to?|help me take the square root of {a}
|which number times itself gives {a}?|what do I get for sqrt({a})?|the root of {a}, please|A square has an area of {a}. How long is its side?
|Tell me what the square root of {a} equals, would you|{a}: what's its square root?|Find which value squared makes {a}""",
}
NUMBERS = {
    "add": [(318, 77), (37, 58), (1046, 289), (4.75, 12.5), (90215, 4407), (63, 1998)],
    "subtract": [(250, 19), (873, 418), (6004, 1237), (15.5, 2.25), (71, 38), (58230, 46110)],
    "multiply": [(14, 27), (306, 45), (8, 125), (39, 62), (7.5, 16), (1203, 11)],
    "divide": [(144, 12), (975, 25), (84, 7), (2310, 42), (58.5, 9), (640, 16)],
    "power": [(3, 7), (12, 4), (2.5, 6), (9, 5), (17, 4), (6, 8)],
    "square_root": [(81,), (1369,), (2025,), (30.25,), (784,), (5929,)],
}
SQUARED = [("What's {a} squared equal to, please?", 2), ("help me cube {a}", 3), ("So {a} cubed would be?", 3), ("Square {a} for me, would you", 2)]

# (phrasing, argument values); the values fill both the phrasing and the expected call
FILE_CASES = {
    "list_files": ("""Which documents do I have?|Let me see my files|What files can you find here?|Is there anything saved in this place?
|Do an inventory of my files|Give me an overview of the files, please|Tell me which files exist|I'd like to know what files I have stored
|What does {directory} hold?|Let me see the files within {directory}|Which documents are kept in the {directory} folder?|Tell me which files exist under {directory}
|Open the directory {directory} and tell me its files|I'd like to know what files sit in {directory}""",
        [dict(directory=d) for d in ("harvest", "tax_papers", "Photos2021", "band-demos", "letters", "workshop")]),
    "read_file": ("""What's inside {filename}?|Let me see the text of {filename}|Could you look into {filename} for me?|I forgot what I wrote in {filename}, tell me
|Which words are in {filename}?|Recite {filename}|pull up {filename}|I'd love to know what {filename} contains|Go through {filename} and tell me what it says
|Does {filename} say anything interesting?|Let me see the text of {filename} from the {directory} folder|What's inside {filename} in the directory {directory}?
|Could you look into {filename}, which is in {directory}?|Tell me the content of {filename} in folder {directory}""",
        [dict(filename=f, directory=d) for f, d in (("todo.txt", "cabin"), ("quarterly_budget.md", "finance"), ("gardenlog7.txt", "outdoors"),
         ("wishes.txt", "xmas"), ("boat-repairs.txt", "harbour"), ("Server_Notes.log", "ops"))]),
    "write_file": ("""Save the text '{content}' into {filename}|Please jot down "{content}" in {filename}|Make a new file {filename} that says '{content}'
|I need a file {filename} with this text: {content}|Could you note '{content}' in {filename} for me?|Store the words "{content}" as {filename}
|Fill {filename} with '{content}'|Keep "{content}" for me in a file named {filename}|Set the contents of {filename} to '{content}'
|Produce {filename} containing the line "{content}"|{filename} should read: {content}|Save the text '{content}' into {filename} in the folder {directory}
|Could you note "{content}" in {filename} inside the directory {directory}?|Under {directory}, make a file {filename} saying '{content}'""",
        [dict(filename=f, content=c, directory=d) for f, c, d in (("list.txt", "buy milk", "errands"), ("plumber.txt", "the plumber comes on Thursday at 9", "house"),
         ("score.md", "Reds 4, Blues 2", "matches"), ("idea-5.txt", "a lamp that follows the sun", "inventions"),
         ("pw_hint.txt", "name of the first goldfish", "private"), ("greet.txt", "Good evening, everyone!", "stage"))]),
    "delete_file": ("""Remove {filename} please|Get rid of the file {filename}|I no longer need {filename}, throw it away|Could you erase {filename} for me?
|{filename} can go, delete it|Bin {filename}|Make {filename} disappear|Would you clear out {filename}?|Trash the file called {filename}, thanks
|Drop {filename} from my files|Remove {filename} from the {directory} folder please|Could you erase {filename}, it's in {directory}?
|Get rid of {filename} in the directory {directory}|Inside {directory} there is {filename}; delete it""",
        [dict(filename=f, directory=d) for f, d in (("old.log", "attic"), ("draft_two.md", "novel"), ("tmp-cache.txt", "builds"),
         ("Receipt88.txt", "travel"), ("expired_coupons.csv", "shopping"), ("hello.html", "website"))]),
}

# Tools that no training tool shares a name with, each followed by five questions and the arguments expected.
UNSEEN = """
count_words(text: string) - Count the words in a text.
How many words are in "the quick brown fox jumps"? | {"text": "the quick brown fox jumps"}
Count the words of 'we went home early' | {"text": "we went home early"}
Tell me the number of words in "rain again today" | {"text": "rain again today"}
'one small step' has how many words? | {"text": "one small step"}
Please count how many words this has: happy birthday dear Anna | {"text": "happy birthday dear Anna"}
water_plants(zone: string, minutes: integer) - Water the plants in a garden zone.
Water the roses zone for 15 minutes | {"zone": "roses", "minutes": 15}
Give the plants in zone terrace 8 minutes of water | {"zone": "terrace", "minutes": 8}
Please water the herbs for 5 minutes | {"zone": "herbs", "minutes": 5}
The lawn needs 20 minutes of watering | {"zone": "lawn", "minutes": 20}
Can you water orchard for 45 minutes? | {"zone": "orchard", "minutes": 45}
convert_temperature(value: number, from_unit: "celsius"|"fahrenheit"|"kelvin", to_unit: "celsius"|"fahrenheit"|"kelvin") - Convert a temperature.
Convert 30 degrees celsius to fahrenheit | {"value": 30, "from_unit": "celsius", "to_unit": "fahrenheit"}
What is 451 fahrenheit in celsius? | {"value": 451, "from_unit": "fahrenheit", "to_unit": "celsius"}
Change 300 kelvin into celsius | {"value": 300, "from_unit": "kelvin", "to_unit": "celsius"}
How hot is 18.5 celsius in kelvin? | {"value": 18.5, "from_unit": "celsius", "to_unit": "kelvin"}
I need 72 fahrenheit as kelvin | {"value": 72, "from_unit": "fahrenheit", "to_unit": "kelvin"}
book_table(restaurant: string, people: integer, time: string) - Reserve a table at a restaurant.
Reserve a table for 4 at Luigi's at 19:30 | {"restaurant": "Luigi's", "people": 4, "time": "19:30"}
Get us a table at Blue Dragon for 2 people at 20:00 | {"restaurant": "Blue Dragon", "people": 2, "time": "20:00"}
I want to eat at The Oak at 18:15 with 6 people, book a table | {"restaurant": "The Oak", "people": 6, "time": "18:15"}
Book Casa Verde at 21:00 for 3 people | {"restaurant": "Casa Verde", "people": 3, "time": "21:00"}
Table for 8 at Harbour Grill, 12:45 please | {"restaurant": "Harbour Grill", "people": 8, "time": "12:45"}
get_tide(port: string, date?: string) - Get tide times for a port.
When is high tide in Whitby? | {"port": "Whitby"}
Tide times for Dover on 2024-08-12 | {"port": "Dover", "date": "2024-08-12"}
Show the tides at Brest | {"port": "Brest"}
What are the tides in Galway on 2025-01-30? | {"port": "Galway", "date": "2025-01-30"}
I'm sailing from Plymouth, look up the tide | {"port": "Plymouth"}
rotate_image(path: string, degrees: integer) - Rotate an image.
Rotate beach.jpg by 90 degrees | {"path": "beach.jpg", "degrees": 90}
Turn scan04.png 180 degrees round | {"path": "scan04.png", "degrees": 180}
Please rotate the picture dog_park.jpeg 45 degrees | {"path": "dog_park.jpeg", "degrees": 45}
logo.svg must be turned by 270 degrees | {"path": "logo.svg", "degrees": 270}
The photo wedding-12.png is sideways, rotate it 90 degrees | {"path": "wedding-12.png", "degrees": 90}
find_synonym(word: string) - Find a synonym of a word.
Give me a synonym for enormous using your tool | {"word": "enormous"}
Look up a synonym of "tired" | {"word": "tired"}
Find a synonym for brilliant | {"word": "brilliant"}
I need a synonym: angry | {"word": "angry"}
Search for a word that means the same as gentle | {"word": "gentle"}
set_thermostat(room: string, temperature: number) - Set the target temperature of a room.
Set the kitchen to 21 degrees | {"room": "kitchen", "temperature": 21}
Make the bedroom 17.5 degrees | {"room": "bedroom", "temperature": 17.5}
I want 23 degrees in the office | {"room": "office", "temperature": 23}
Turn the thermostat in the hallway to 19 | {"room": "hallway", "temperature": 19}
The nursery should be at 22 degrees | {"room": "nursery", "temperature": 22}
lookup_flight(flight_number: string) - Look up the status of a flight.
Is flight BA2490 on time? | {"flight_number": "BA2490"}
Check the status of LH118 | {"flight_number": "LH118"}
What's happening with flight QF7? | {"flight_number": "QF7"}
Has flight KL1023 landed? | {"flight_number": "KL1023"}
Look up flight EI154 for me | {"flight_number": "EI154"}
add_contact(name: string, phone: string) - Add a person to the address book.
Add Maria Lopez with phone 555-0134 to my contacts | {"name": "Maria Lopez", "phone": "555-0134"}
Save the contact Tom Reed, his phone is 555-8821 | {"name": "Tom Reed", "phone": "555-8821"}
New contact: Ines Duval, 555-4410 | {"name": "Ines Duval", "phone": "555-4410"}
Put Omar Haddad in my address book with number 555-9073 | {"name": "Omar Haddad", "phone": "555-9073"}
Remember that Julia Stone's phone number is 555-2266 in my contacts | {"name": "Julia Stone", "phone": "555-2266"}
list_birthdays(month: string) - List the birthdays in a month.
Whose birthday is in March? | {"month": "March"}
Show birthdays for October | {"month": "October"}
List the birthdays in July | {"month": "July"}
Any birthdays in December? | {"month": "December"}
Who has a birthday this May? | {"month": "May"}
merge_pdfs(files: string[], output: string) - Merge PDF files into one.
Merge a.pdf and b.pdf into ab.pdf | {"files": ["a.pdf", "b.pdf"], "output": "ab.pdf"}
Combine intro.pdf, body.pdf and end.pdf into thesis.pdf | {"files": ["intro.pdf", "body.pdf", "end.pdf"], "output": "thesis.pdf"}
Join jan.pdf and feb.pdf as winter.pdf | {"files": ["jan.pdf", "feb.pdf"], "output": "winter.pdf"}
Make full.pdf out of part1.pdf and part2.pdf | {"files": ["part1.pdf", "part2.pdf"], "output": "full.pdf"}
Put cover.pdf and menu.pdf together in one file called print.pdf | {"files": ["cover.pdf", "menu.pdf"], "output": "print.pdf"}
"""
