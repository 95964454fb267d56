"""Short exchanges written by hand, and ways of saying that a tool is missing."""

from absent_more import ABSENT_MORE, EXTRA_REFUSALS, NEAR
from talk_more import PAIRS as PAIRS_MORE

PAIRS = """Hello!|Hello! How can I help you?
Hi|Hi! What can I do for you?
Hey there|Hey! How can I help?
Good morning|Good morning! How can I help you today?
Good evening!|Good evening! What can I do for you?
How are you?|I'm doing well, thank you. How can I help?
Thanks|You're welcome!
Thank you!|You're welcome!
Thanks, that's all.|You're welcome! Have a nice day.
Great, thanks!|You're welcome!
Perfect.|Glad to help!
Well done!|Thank you!
OK|Good. Is there anything else?
Bye|Goodbye!
See you|See you soon!
Good night|Good night, sleep well!
Who are you?|I'm a helpful assistant that can answer questions and use the tools listed here.
What's your name?|I'm an assistant; I have no name of my own.
Are you human?|No, I'm a computer program.
I'm tired.|You should get some rest. Can I help with anything first?
I feel lonely.|I'm sorry to hear that. I'm happy to talk with you.
I'm sad.|I'm sorry you feel sad. Would you like to talk about it?
I passed my exam!|Congratulations, that's wonderful!
I have two cats.|How lovely! What are their names?
I am 30 years old.|Nice to know! How can I help you?
My favourite number is 7.|Seven is a fine number!
I was born in 1985.|Thank you for telling me. How can I help?
My house number is 45.|All right, I'll keep that in mind.
I bought a new car.|Congratulations on your new car!
My name is Sarah.|Nice to meet you, Sarah!
We have 3 children.|How nice! You must have a lively home.
It is 20 degrees outside.|That sounds pleasant.
I ran 5 miles this morning.|Well done, that's a good run!
My file is very long.|I see. What would you like to do with it?
I love reading.|Reading is a wonderful hobby!
I hate writing.|Writing can be hard, but it gets easier with practice.
I like numbers.|Numbers are fun! Is there something you'd like to calculate?
That was wrong.|I'm sorry about that. Please tell me more.
That's not what I meant.|I'm sorry. Could you say it in another way?
Can you help me?|Of course! What do you need?
I have a question.|Please go ahead and ask.
Do you speak French?|A little, but I'm best at English.
Tell me a joke.|Why did the cat sit on the computer? To keep an eye on the mouse!
What is two-dimensional?|Something flat, with length and width but no depth.
How many sides does a triangle have?|A triangle has three sides.
How many days are in a year?|A year has 365 days, and a leap year has 366.
How many hours are in a day?|A day has 24 hours.
How many wheels does a car have?|A car usually has four wheels.
What does 'sum' mean?|A sum is what you get when you add numbers.
What is a quotient?|A quotient is the result of a division.
What is a remainder?|A remainder is what is left over after a division.
What does cubed mean?|Cubed means raised to the power of three.
What is an even number?|An even number can be divided by two.
What is a JSON file?|A JSON file stores data as readable text.
What does .txt mean?|It marks a plain text file.
What is a directory?|A directory is a folder that holds files.
Is it safe to delete files?|Yes, if you no longer need them.
Why do we need passwords?|Passwords keep our accounts safe.
What is 'reading' in Spanish?|It is 'lectura'.
When did the first world war begin?|It began in 1914.
In what year did Columbus reach America?|He reached America in 1492.
What happened in 1969?|People landed on the moon for the first time in 1969.
Who was the first president of the USA?|George Washington was the first president.
What is H2O?|H2O is water.
How long is a marathon?|A marathon is about 42 kilometres long.
Which number is said to be unlucky?|Thirteen is often said to be unlucky.
How is paper made?|Paper is made from wood fibres that are pressed and dried.
What is a square?|A square is a shape with four equal sides and four right angles.
Who is the queen of the bees?|The queen bee is the one that lays the eggs of the hive.
Write a sentence about the number ten.|Ten is the number of fingers on two hands.
Do you like my files?|I'm sure they are very useful!
I will write a book one day.|That is a wonderful plan!
I need to divide my time better.|Try to plan your day and take short breaks.
I want to read more.|Set aside a quarter of an hour every evening for a book.
My computer is slow.|Try closing programs that you don't use.
How do I list things in an essay?|Use commas between the items and 'and' before the last one.
How can I save money?|Make a plan for your spending and stick to it.
What is the power of friendship?|Friendship gives us support, joy and trust.
What is the root of a plant?|The root is the part that grows in the soil and takes up water.
Name a square in London.|Trafalgar Square is a famous one.
""" + PAIRS_MORE

# Subjects for which no tool is ever listed in training.
ABSENT = """check bank balances|Check my bank balance|What's on my bank account?|How much money is in my account?
make coffee|Make me a cup of coffee|Start the coffee machine|Brew a pot of coffee please
take photos|Take a photo of me|Take a selfie|Take a picture with the camera
read the news|What's in the news today?|Read me today's headlines|Tell me the latest news
drive a car|Drive me to the station|Park my car|Bring the car round
unlock the phone|Unlock my phone|Turn on the flashlight|Switch on airplane mode
browse the internet|Open my browser|Download the newest driver|Find me cheap shoes online
know the weather|How's the weather?|Will it rain tomorrow?|Is it cold outside?|What's the forecast for {d}?|How warm is it in {c}?
send mail|Send a mail to {n}|Email {n} the report|Forward this to {n}|Check my inbox
play media|Play some jazz|Put on a film|Skip this song|Turn up the music
call people|Call {n}|Phone the doctor|Ring {n} and say I'm late
book things|Book a flight to {c}|Get me a train ticket to {c}|Reserve a hotel in {c}|Buy two tickets for {d}
see the time|What time is it?|What's today's date?|Which day is it today?|How late is it in {c}?
set reminders|Remind me to call {n} on {d}|Wake me up at {t}|Set a timer for {k} minutes|Put lunch with {n} in my calendar
control the house|Turn on the lights|Close the curtains|Heat the living room to {k} degrees|Lock the front door
look up share prices|How is the {w} share doing?|What's the price of gold?|What's the exchange rate today?
translate|Translate '{w} {w2}' into Greek|How do you say '{w}' in Japanese with the translator?
post things|Tweet '{w} {w2}'|Post this on my page|Like {n}'s photo
order things|Order a burger|Buy {k} bottles of water|Get me a taxi to {c}
find places|Where is the nearest {w} shop?|Give me directions to {c}|Show me {c} on the map
print|Print {k} copies|Scan this page|Fax this to {n}
run programs|Run the {w} script|Compile my project|Restart the server|Install {w}
draw pictures|Draw a {w}|Make a picture of a {w}|Generate an image of {c}
watch devices|What's my battery level?|Is the oven on?|How much disk space is free?
handle contacts|What's {n}'s phone number?|Add {n} to my contacts|When is {n}'s birthday?
convert units|Convert {k} miles to kilometres with the converter|How many pounds are {k} kilos in your unit tool?|Change {k} dollars to euros at today's rate
""" + ABSENT_MORE

REFUSALS = ["I don't have a tool to {p}.", "Sorry, I don't have a tool to {p}.", "I can't do that: none of my tools can {p}.", "I'm sorry, but I have no tool to {p}.",
            "None of the tools listed here can {p}.", "I have no tool to {p}, so I can't help with that.", "Sorry, I can't {p} with the tools I have."] + EXTRA_REFUSALS

SYSTEMS = ["You are llm-host's demo assistant. Use tools when they help.", "You are a friendly assistant. Keep answers short.", "Answer briefly. Use a tool only when it is needed.",
           "You are a helpful AI assistant named SmolLM, trained by Hugging Face", "You help people with sums and files.", "You are an assistant with access to tools.",
           "Be concise and polite.", "You are a careful assistant. If no tool fits, answer in words.", "Help the user."]

PURPOSE = {"add": "add numbers", "subtract": "subtract numbers", "multiply": "multiply numbers", "divide": "divide numbers", "power": "work out powers", "square_root": "take square roots",
           "list_files": "list files", "read_file": "read files", "write_file": "write files", "delete_file": "delete files"}

# Other names for the same purposes.
PURPOSES = {k: [v] + more for (k, v), more in zip(PURPOSE.items(), [
    ["do additions", "work out sums"], ["do subtractions", "take numbers away"], ["do multiplications", "work out products"], ["do divisions"], ["raise numbers to powers"],
    ["find square roots", "work out square roots"], ["look into folders", "show which files there are"], ["open files", "show what a file says"], ["create files", "save text to files"], ["remove files"]])}

# The untuned model gets some capitals wrong; these replace its answers.
CAPITALS = dict(p.split(":") for p in """France:Paris,Italy:Rome,Spain:Madrid,Germany:Berlin,Japan:Tokyo,China:Beijing,India:New Delhi,Brazil:Brasília,Canada:Ottawa,
Egypt:Cairo,Kenya:Nairobi,Norway:Oslo,Sweden:Stockholm,Greece:Athens,Turkey:Ankara,Russia:Moscow,Mexico:Mexico City,Peru:Lima,Chile:Santiago,Cuba:Havana,Poland:Warsaw,
Austria:Vienna,Portugal:Lisbon,Ireland:Dublin,Scotland:Edinburgh,Thailand:Bangkok,Vietnam:Hanoi,Morocco:Rabat,Finland:Helsinki,Denmark:Copenhagen""".replace("\n", "").split(","))

__all__ = ["ABSENT", "CAPITALS", "NEAR", "PAIRS", "PURPOSE", "PURPOSES", "REFUSALS", "SYSTEMS"]
